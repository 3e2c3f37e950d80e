"""File names from ids."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.site.slugs import attempt_path, relative, slug

SAFE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@settings(max_examples=100)
@given(st.text(max_size=200))
def test_every_text_gives_a_safe_name(text: str) -> None:
    assert SAFE.fullmatch(slug(text))
    assert len(slug(text)) <= 70


@settings(max_examples=100)
@given(st.text(alphabet="ab-/.A", max_size=6), st.text(alphabet="ab-/.A", max_size=6))
def test_two_texts_never_share_a_name(left: str, right: str) -> None:
    assert (slug(left) == slug(right)) == (left == right)


def test_a_name_that_is_safe_already_stays() -> None:
    assert slug("genomics-simple-017") == "genomics-simple-017"


def test_nobody_can_aim_at_the_name_of_another_id() -> None:
    aimed = slug("a b")
    assert slug(aimed) != aimed


def test_a_path_like_id_stays_inside_its_folder() -> None:
    assert SAFE.fullmatch(
        attempt_path("run", "../../etc/passwd", 1).removeprefix("attempts/run/").removesuffix(".html")
    )


def test_links_climb_as_many_folders_as_the_page_lies_deep() -> None:
    assert relative("index.html", "attempts/run/case-r1.html") == "../../index.html"
    assert relative("method.html", "index.html") == "method.html"

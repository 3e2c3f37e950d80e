"""What is kept between builds: it saves work, and never decides what a page says."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fcbench.errors import PackageError
from fcbench.site.environment import digest_of_code
from fcbench.site.keeping import Keep, kept
from fcbench.site.links import any_links, own_links
from tests.site.conftest import Built, build
from tests.site.sample_packages import CASES, make_package, passing, wrong_tool, wrong_value


def one(home: Path, name: str, second: Callable[..., object]) -> None:
    shutil.rmtree(next(home.glob(f"runs/*/{name}"), home / "none"), ignore_errors=True)
    made = [passing(CASES[0], 1), second(CASES[1], 1)]
    make_package(home / "runs", name, name, CASES[:2], made)  # type: ignore[arg-type]


def pages(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def built(plugin: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs and their site; nobody writes here."""
    home = tmp_path_factory.mktemp("built")
    one(home, "first", wrong_value)
    one(home, "second", passing)
    build(home)
    return home


@pytest.fixture
def home(built: Path, tmp_path: Path) -> Path:
    """A copy, times and all."""
    return shutil.copytree(built, tmp_path / "home")


def removed_run(home: Path) -> None:
    shutil.rmtree(next(home.glob("runs/*/second")))


def other_runs(home: Path) -> None:
    """One with other verdicts, one more and one less."""
    one(home, "first", wrong_tool)
    one(home, "third", wrong_tool)
    removed_run(home)


def killed_midway(home: Path) -> None:
    """As if the index had not been written, and a page and a part were torn."""
    (home / "cache" / "index.json").unlink()
    for part in (home / "cache" / "pages").rglob("*.html.*"):
        part.write_bytes(b"<p>torn")
    for number, part in enumerate(sorted((home / "cache" / "parts").iterdir())):
        part.rename(part.with_suffix(".tmp")) if number % 2 else part.write_bytes(part.read_bytes()[:40])


def edited_in_the_output(home: Path) -> None:
    """A page of the output is the cache's own file."""
    assert build(home).rendered == 0
    for page in (home / "out" / "attempts").rglob("*.html"):
        with page.open("r+b") as stream:
            stream.write(b"<!DOCTYPE HTML>")


def touched(home: Path) -> None:
    for page in (home / "cache" / "pages").rglob("*.html.*"):
        os.utime(page, ns=(1, 1))


@pytest.mark.parametrize(
    "happens",
    [other_runs, killed_midway, edited_in_the_output],
    ids=lambda happens: happens.__name__.replace("_", " "),
)
def test_a_build_over_a_cache_is_the_build_without_one(home: Path, happens: Callable[[Path], None]) -> None:
    happens(home)
    rendered = build(home).rendered
    assert rendered >= 4
    over = pages(home / "out")
    shutil.rmtree(home / "cache")
    build(home)
    assert over == pages(home / "out")


def test_templates_that_other_code_compiled_are_not_run_and_go(home: Path) -> None:
    parts = home / "cache" / "parts"
    old = {part.name for part in parts.glob("*.template")}
    for name in old:
        (parts / name).rename(parts / f"{'0' * 16}{name[16:]}")
    build(home)
    # The theme's, compiled anew; those of our own pages this process has in memory.
    now = {part.name for part in parts.glob("*.template")}
    assert now
    assert now <= old


def test_a_cache_that_was_copied_is_as_good(home: Path) -> None:
    touched(home)
    assert build(home).rendered == 0


def test_what_no_build_uses_any_more_goes(home: Path) -> None:
    before = {path.name for path in (home / "cache" / "parts").iterdir()}
    removed_run(home)
    build(home)
    assert {path.suffix for path in (home / "cache" / "parts").iterdir()} == {
        ".chart",
        ".failures",
        ".frame",
        ".keys",
        ".template",
        ".verdicts",
    }
    assert not before <= {path.name for path in (home / "cache" / "parts").iterdir()}


@pytest.mark.parametrize("place", ["site/page.py", "aggregate/tables.py", "evaluator/deep/rules.py", "core/a.css"])
def test_any_change_of_code_is_another_digest(tmp_path: Path, place: str) -> None:
    for name in ("site/page.py", "aggregate/tables.py", "evaluator/deep/rules.py", "core/a.css"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one")
    before = digest_of_code(tmp_path)
    (tmp_path / "core" / "notes.txt").write_text("shapes no page")
    assert digest_of_code(tmp_path) == before
    (tmp_path / place).write_text("two")
    assert digest_of_code(tmp_path) != before


def test_an_attempt_that_was_altered_after_sealing_is_named_and_not_shown(home: Path) -> None:
    (attempts,) = home.glob("runs/*/first/attempts.jsonl")
    attempts.write_bytes(attempts.read_bytes().replace(b'"repeat":1', b'"repeat":1 ', 1)[:-1])
    shutil.rmtree(home / "cache")
    with pytest.raises(PackageError, match="not the one that was sealed"):
        build(home)


def test_without_a_build_nothing_is_kept(tmp_path: Path) -> None:
    made = iter([b"one", b"two"])
    assert [kept("kind", "k", lambda: next(made)) for _ in range(2)] == [b"one", b"two"]  # type: ignore[arg-type]
    keep = Keep(tmp_path / "parts")
    made = iter([b"one", b"two"])
    assert [keep.part("kind", "k", lambda: next(made)) for _ in range(2)] == [b"one", b"one"]  # type: ignore[arg-type]
    assert (keep.finish(), Keep(tmp_path / "parts").finish()) == (0, 1)


def test_both_readers_find_the_same_links_in_every_page(sample: Built, hostile: Built) -> None:
    for site in (sample, hostile):
        found = [path.read_text() for path in site.output.rglob("*.html") if "attempts" in path.parts]
        assert found
        for page in found:
            assert own_links(page) == any_links(page)

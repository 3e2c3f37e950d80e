"""A whole build, without a browser."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from fcbench.core.names import Digest
from fcbench.errors import BadInputError, NotFoundError, PackageError
from fcbench.site.assemble import build_pages
from fcbench.site.build import build_site
from fcbench.site.data import RunView
from fcbench.site.load import load_site
from tests.site.conftest import SOURCES, Built, build
from tests.site.hostile_package import MARK
from tests.site.sample_packages import CASES, make_package, passing, sample_runs, wrong_value

GOLDEN = Path(__file__).parent / "golden"


def tiny(home: Path) -> None:
    make_package(home / "runs", "tiny", "tiny", CASES[:2], [passing(CASES[0], 1), wrong_value(CASES[1], 1)])


def test_every_attempt_case_and_model_has_its_page(sample: Built) -> None:
    assert len(list(sample.output.glob("attempts/*/*.html"))) == 3 * 6 * 3
    assert len(list(sample.output.glob("cases/hypotheek-*.html"))) == 6
    assert len(list(sample.output.glob("models/*.html"))) == 3 + 1
    assert len(list(sample.output.glob("boards/*.html"))) == 2 * 2
    assert len(list(sample.output.glob("tools/*.html"))) == 2 + 1
    assert sample.report.rendered == 54 + 6 + 3 + 2 * 3 + 2
    assert (sample.output / "method.html").is_file()


def test_a_second_build_renders_nothing(sample: Built, tmp_path: Path) -> None:
    again = sample.again(tmp_path)
    assert (again.report.rendered, again.report.reused) == (0, sample.report.rendered)
    for page in sample.output.rglob("*.html"):
        assert (again.output / page.relative_to(sample.output)).read_bytes() == page.read_bytes()


def test_a_changed_verdict_renders_its_pages_only_and_vanished_pages_go(plugin: None, tmp_path: Path) -> None:
    tiny(tmp_path)
    assert build(tmp_path).rendered == 2 + 2 + 1 + 2 * 2 + 2
    shutil.rmtree(tmp_path / "runs")
    make_package(tmp_path / "runs", "tiny", "tiny", CASES[:1], [passing(CASES[0], 1)])
    build(tmp_path)
    cached = [path.name for path in (tmp_path / "cache" / "pages").rglob("*") if path.is_file()]
    assert len(cached) == 3 + 2 * 2 + 2
    assert not any("hypotheek-002" in name for name in cached)


def test_a_damaged_cache_is_only_a_slower_build(plugin: None, tmp_path: Path) -> None:
    tiny(tmp_path)
    build(tmp_path)
    (tmp_path / "cache" / "index.json").write_text("{torn")
    assert build(tmp_path).rendered == 11


def test_a_broken_link_in_a_generated_page_ends_the_build(
    plugin: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny(tmp_path)
    sources = tmp_path / "site"
    shutil.copytree(SOURCES.parent, sources)
    header = sources / "overrides" / "partials" / "header.html"
    header.write_text(header.read_text().replace("'index.html' | url", "'nowhere.html' | url"))
    with pytest.raises(BadInputError, match=r"links lead nowhere(.|\n)*nowhere\.html"):
        build_site(sources / "mkdocs.yml", [tmp_path / "runs"], tmp_path / "out", tmp_path / "cache")


def test_a_broken_link_in_a_hand_written_page_ends_the_build(plugin: None, tmp_path: Path) -> None:
    tiny(tmp_path)
    sources = tmp_path / "site"
    shutil.copytree(SOURCES.parent, sources)
    (sources / "pages" / "about.md").write_text("# About\n\n[gone](gone.md)\n")
    with pytest.raises(BadInputError, match=r"gone\.md"):
        build_site(sources / "mkdocs.yml", [tmp_path / "runs"], tmp_path / "out", tmp_path / "cache")


def test_a_cache_inside_the_output_is_refused(plugin: None, tmp_path: Path) -> None:
    tiny(tmp_path)
    with pytest.raises(BadInputError, match="cache lies inside"):
        build_site(SOURCES, [tmp_path / "runs"], tmp_path / "out", tmp_path / "out" / "cache")


def test_a_site_without_runs_builds(plugin: None, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    assert build(tmp_path).rendered == 0
    assert "No run has been published yet" in (tmp_path / "out" / "index.html").read_text()


def test_missing_settings_are_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="settings"):
        build_site(tmp_path / "mkdocs.yml", [], tmp_path / "out", tmp_path / "cache")


def test_held_out_cases_are_never_published(tmp_path: Path) -> None:
    case = msgspec.structs.replace(CASES[0], held_out=True)
    package = make_package(tmp_path, "held", "m", [case], [passing(case, 1)])
    with pytest.raises(PackageError, match="may not be published"):
        RunView(package=package, verdicts={}, key=Digest("0" * 64))


def test_an_unscored_package_is_named(tmp_path: Path) -> None:
    package = make_package(tmp_path, "tiny", "m", CASES[:1], [passing(CASES[0], 1)])
    next(package.folder.glob("verdicts-*")).unlink()
    with pytest.raises(NotFoundError, match="no verdicts"):
        load_site([tmp_path])


def test_the_attempt_page_is_as_it_was(tmp_path: Path) -> None:
    tiny(tmp_path)
    pages = build_pages(load_site([tmp_path / "runs"]))
    for page in pages.lean:
        name = page.path.replace("/", "__")
        golden = GOLDEN / name
        body = page.body()
        if os.environ.get("FCBENCH_REWRITE_GOLDEN") == "1":
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(body)
        assert golden.read_text() == body, f"{name} changed; FCBENCH_REWRITE_GOLDEN=1 accepts the change"


def test_pages_do_not_depend_on_the_order_of_folders(tmp_path: Path) -> None:
    sample_runs(tmp_path)
    packages = sorted(path.parent for path in tmp_path.rglob("manifest.json"))
    there, back = (build_pages(load_site(order)) for order in (packages, packages[::-1]))
    assert [(page.path, page.key) for page in there.lean] == [(page.path, page.key) for page in back.lean]


def test_the_leaderboard_keeps_boards_and_controls_apart(sample: Built) -> None:
    page = (sample.output / "index.html").read_text()
    assert page.count("<table") == 2
    for table in re.findall(r"<table.*?</table>", page, re.DOTALL):
        models, controls = table.split('<tbody class="fc-controls"')
        assert "control-null" not in models
        assert "control-null" in controls
        assert ">Restraint accuracy" in table
    assert page.index("native function contract") < page.index("task completion contract")


def test_a_steered_board_says_so_and_comes_last(plugin: None, tmp_path: Path) -> None:
    tiny(tmp_path)
    make_package(
        tmp_path / "runs", "steered", "tiny", CASES[:1], [passing(CASES[0], 1)], mode="oracle-assisted", repeats=1
    )
    build(tmp_path)
    page = (tmp_path / "out" / "index.html").read_text()
    sections = re.findall(r'<section class="fc-board.*?</section>', page, re.DOTALL)
    assert ["<strong>Steered.</strong>" in section for section in sections] == [False, False, True, True]


def test_downloads_hold_the_rows_of_their_board(sample: Built) -> None:
    table = next(path for path in sample.output.glob("boards/*.csv") if "native" in path.name)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["model"] for row in rows] == ["Example/Alpha-8B-Instruct", "beta-mini", "control-null"]
    assert (rows[0]["strict_sum"], rows[0]["strict_n"]) == ("1.3333333333333333", "5")
    plain = json.loads(table.with_suffix(".json").read_text())
    assert plain["board"]["tier"] == "native-function-contract"
    packed = next(sample.output.glob("data/failures-example-alpha*.jsonl.gz"))
    lines = gzip.decompress(packed.read_bytes()).splitlines()
    assert len(lines) == 11
    first = json.loads(lines[0])
    assert first["run_id"] == "20261130-alpha"
    assert first["faults"][0]["kind"] == "decimal_mark"
    record = lines[0].partition(b',"attempt":')[2].removesuffix(b"}")
    assert record in (sample.home / first["package"] / "attempts.jsonl").read_bytes().splitlines()


class Tags(HTMLParser):
    """What a browser would see as markup."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in ("iframe", "img", "base", "style", "object", "embed", "form"):
            self.bad.append(tag)
        if any(name.startswith("on") or name in ("style", "srcdoc") for name in values):
            self.bad.append(f"{tag} {values}")
        target = str(values.get("href") or values.get("src") or "")
        if re.match(r"\s*(javascript|data|https?):|//", target, re.IGNORECASE):
            self.bad.append(f"{tag} {target}")
        if tag == "meta" and values.get("http-equiv") == "refresh":
            self.bad.append("refresh")


def test_hostile_text_is_only_ever_text(hostile: Built) -> None:
    docs = hostile.output / "docs"  # no text of a model, and links to other hosts
    pages = [path for path in hostile.output.rglob("*.html") if not path.is_relative_to(docs)]
    assert len(pages) > 40
    for path in pages:
        page = path.read_text()
        tags = Tags()
        tags.feed(page)
        assert tags.bad == [], path
        assert f"<script>window.{MARK}" not in page
        assert not any(letter in page for letter in "\u202e\u2066\u200b\x00\x07\x1b\x7f"), path
        assert len(page) < 600_000, path


def test_a_spreadsheet_runs_no_formula(plugin: None, tmp_path: Path) -> None:
    make_package(tmp_path / "runs", "tiny", "=1+1", CASES[:1], [passing(CASES[0], 1)])
    build(tmp_path)
    table = next((tmp_path / "out").glob("boards/*.csv"))
    assert "'=1+1" in table.read_text()


def test_every_page_has_a_policy_without_inline_code(sample: Built) -> None:
    for path in sample.output.rglob("*.html"):
        page = path.read_text()
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
        assert policy, path
        assert "unsafe" not in policy.group(1)
        assert not re.search(r"<[^>]+\sstyle=", page), path

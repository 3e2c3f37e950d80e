"""The pages of changes and of review: versions with what they touched, the queue, and the ledger."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from fcbench.core.canonical import digest_text
from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.hashes import oracle_hash, task_hash
from fcbench.core.names import ToolName
from fcbench.site.changes_page import changes_page
from fcbench.site.load import load_site
from fcbench.site.review_page import review_page
from fcbench.site.versions import registry_versions, suite_versions, touched
from tests.site.hostile_package import MARK, hostile_runs
from tests.site.sample_packages import CASES, MORTGAGE, STATUS, make_package, passing, wrong_value
from tests.site.test_attempts import LEDGER, RULED

NEWER = msgspec.structs.replace(MORTGAGE, version=2, description="Legt een aanvraag vast.")
ADDED = msgspec.structs.replace(STATUS, name=ToolName("sluit_dossier"))


def run_of(home: Path, day: int, cases: tuple[Case, ...], contracts: tuple[ToolContract, ...], registry: str) -> None:
    """One run of one model at one version of tools and cases."""
    key = {"registry_hash": digest_text(registry), "task_hash": task_hash(cases)}
    header = next(iter(load_site([base(home, day, cases, contracts)]).runs)).manifest.header
    changes = {
        "key": msgspec.structs.replace(header.key, **key),
        "created_at": f"2026-11-{day:02d}T12:00:00.000Z",
        "oracle_hash": oracle_hash(cases),
    }
    judged = [passing(case, 1) for case in cases]
    make_package(home / "runs", f"run-{day}", "tiny", cases, judged, contracts=contracts, header_changes=changes)


def base(home: Path, day: int, cases: tuple[Case, ...], contracts: tuple[ToolContract, ...]) -> Path:
    """A package whose header can be taken and changed."""
    folder = home / f"base-{day}"
    make_package(folder, "base", "tiny", cases, [passing(case, 1) for case in cases], contracts=contracts)
    return folder


def mended(case: Case) -> Case:
    step = msgspec.structs.replace(case.oracle.calls[0], arguments={"dossier_id": "DOS-1"})
    return msgspec.structs.replace(case, oracle=msgspec.structs.replace(case.oracle, calls=(step,)))


def words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def test_a_version_says_which_tools_came_and_changed_and_whose_cases_that_touches(tmp_path: Path) -> None:
    run_of(tmp_path, 1, CASES[:2], (MORTGAGE, STATUS), "first")
    run_of(tmp_path, 2, CASES[:2], (NEWER, STATUS, ADDED), "second")
    data = load_site([tmp_path / "runs"])
    ((first, second),) = registry_versions(data).values()
    assert (first.first, first.change) == ("2026-11-01", None)
    assert second.change
    assert second.change.added == ("sluit_dossier",)
    assert second.change.changed == (("verwerk_hypotheek_aanvraag", ("description",)),)
    # Packages show the tools that they offered, so one that is not shown may still be there.
    assert second.change.removed == ()
    assert touched(second) == ["hypotheek-001", "hypotheek-002"]
    assert touched(first) == []
    page = changes_page(data).body
    assert "1 tool shown for the first time:" in page
    assert page.index("2026-11-02") < page.index("2026-11-01")


def test_a_version_of_cases_says_what_came_went_and_changed(tmp_path: Path) -> None:
    run_of(tmp_path, 1, CASES[:3], (MORTGAGE, STATUS), "one")
    asked = msgspec.structs.replace(CASES[1], task=msgspec.structs.replace(CASES[1].task, instruction="Anders."))
    run_of(tmp_path, 2, (mended(CASES[0]), asked, CASES[3]), (MORTGAGE, STATUS), "one")
    data = load_site([tmp_path / "runs"])
    ((_, second),) = suite_versions(data).values()
    assert second.change
    assert (second.change.added, second.change.removed) == (("hypotheek-004",), ("hypotheek-003",))
    assert second.change.changed == (("hypotheek-001", ("expected answer",)), ("hypotheek-002", ("instruction",)))
    assert "1 case gone: hypotheek-003" in words(changes_page(data).body).replace(" :", ":")


def test_the_queue_leads_to_attempts_and_a_decision_takes_an_item_away(tmp_path: Path) -> None:
    attempt, verdicts = wrong_value(CASES[1], 1)
    flagged = [msgspec.structs.replace(one, anomalies=("call_shaped_text",)) for one in verdicts]
    make_package(tmp_path / "runs", "one", "tiny", CASES[:2], [passing(CASES[0], 1), (attempt, flagged)])
    suites = tmp_path / "suites"
    suites.mkdir()
    page = review_page(load_site([tmp_path / "runs"], suites)).body
    assert re.search(r'href="attempts/one-[^"]*/hypotheek-002-r1\.html"', page)
    assert "1 item that nobody has decided" in page
    decided = LEDGER.replace("  says:", "  anomaly: call_shaped_text\n  says:") + RULED[len(LEDGER) :]
    (suites / "reviews.yaml").write_text(decided)
    page = review_page(load_site([tmp_path / "runs"], suites)).body
    assert "Nothing is left to look at" in page
    assert "It has not." in page


def test_open_claims_stand_first(tmp_path: Path) -> None:
    make_package(tmp_path / "runs", "one", "tiny", CASES[:1], [passing(CASES[0], 1)])
    suites = tmp_path / "suites"
    suites.mkdir()
    second = LEDGER.replace("c0001", "c0002").replace("hypotheek-002", "hypotheek-001")
    (suites / "reviews.yaml").write_text(RULED + second)
    page = review_page(load_site([tmp_path / "runs"], suites)).body
    assert page.index("c0002") < page.index("c0001")
    assert "&lt;b&gt;has&lt;/b&gt;" in page


def test_a_hostile_package_stays_text_on_both_pages(tmp_path: Path) -> None:
    hostile_runs(tmp_path)
    data = load_site([tmp_path])
    for page in (changes_page(data).body, review_page(data).body):
        assert f"<script>window.{MARK}" not in page
        assert not re.search(r"<[^>]*\son[a-z]+=", page)
        assert re.findall(r'id="([^"]*)"', page) == [one for one in re.findall(r'id="([^"]*)"', page) if one.isascii()]

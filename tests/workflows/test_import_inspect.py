"""Logs of Inspect as packages: matched to cases by id, judged by this evaluator, never ranked.

`inspect_logs/quick.eval` (packed with Zstandard) and `quick.json` were written by inspect_ai 0.3.285 (`make_log.py`).
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fcbench.cli.main import main
from fcbench.core.evidence import Attempt
from fcbench.core.names import SCORABLE, CaseId
from fcbench.core.records import decode_line, encode_line
from fcbench.core.verdicts import Verdict
from fcbench.errors import BadInputError, FcbenchError, UnavailableError, UsageError
from fcbench.evaluator.judge import judge
from fcbench.packages.store import Package, find_packages, open_package
from fcbench.retrieval.spec import RetrievalSpec
from fcbench.workflows.import_inspect import ImportedLog, InspectRequest, import_inspect_log
from fcbench.workflows.inspect_attempts import Sample, attempt_of, first_words, offered_in, text_of
from fcbench.workflows.inspect_files import read_log
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.score import judge_package
from tests.cli.test_commands import Capture, run

ROOT = Path(__file__).parents[2]
LOGS = Path(__file__).parent / "inspect_logs"
TARGET = "complex-schema-nl/quick"
NEEDS_ZSTANDARD = pytest.importorskip("backports.zstd") if sys.version_info < (3, 14) else None


@cache
def project() -> Material:
    return load(find_project())


def imported(file: Path, folder: Path, target: str | None = TARGET) -> tuple[ImportedLog, Package]:
    request = InspectRequest(file=file, target=target, run_id="log")
    return import_inspect_log(request, folder / "runs", material=project())


@cache
def log_as_json() -> dict[str, object]:
    """The log as JSON."""
    found: dict[str, object] = json.loads((LOGS / "quick.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture
def plain() -> dict[str, object]:
    return log_as_json()


@pytest.mark.parametrize("form", ["eval", "json"])
def test_a_log_that_inspect_wrote_becomes_a_package_of_its_samples(tmp_path: Path, form: str) -> None:
    report, package = imported(LOGS / f"quick.{form}", tmp_path)
    assert (report.attempts, report.unknown, report.missing, report.errors) == (4, 0, 2, 0)
    assert package.header.purpose == "imported"
    assert package.header.provider.model == "mockllm/model"
    assert package.header.provider.attributes["inspect_ai"] == "0.3.285"
    assert package.header.provider.attributes["temperature"] == "not said"
    passed = {one.task_id: one.passed for one in judge_package(package) if one.tier == "native-function-contract"}
    assert passed == {"cs-nl-001": True, "cs-nl-004": False, "cs-nl-007": True, "cs-nl-014": True}
    right, wrong, asks, _ = package.attempts()
    # What the tool of the log answered, and not what our contract would have answered.
    (call,) = right.calls
    assert (call.result.status, call.result.provenance) == ("ok", None)
    assert call.result.content == {"received": ["aanvragers", "dossier_id", "leningdelen"]}
    # Inspect called the tool all the same; our contract refuses the arguments, as in every run.
    assert wrong.calls[0].result.status == "invalid"
    assert (right.usage.input_tokens, right.usage.output_tokens) == (180, 18)
    assert (len(right.rounds), right.final_text, asks.final_text) == (2, "Done.", "I would rather ask.")
    assert [one.name for one in right.candidates] == ["verwerk_hypotheek_aanvraag", "bereken_maandlast"]


def test_the_command_gives_a_package_that_verifies_and_is_not_ranked(tmp_path: Path, capsys: Capture) -> None:
    runs = tmp_path / "runs"
    code, out, _ = run(capsys, "import", "inspect", LOGS / "quick.json", "--target", TARGET, "--output", runs)
    assert code == 0
    assert "4 attempts" in out
    assert run(capsys, "verify", runs)[0] == 0
    assert '"rank": 1' not in run(capsys, "tables", runs, "--json")[1]


def test_a_log_that_we_exported_comes_back_with_the_same_verdicts(tmp_path: Path, capsys: Capture) -> None:
    """All of a verdict but what is told of phases, which no log of Inspect holds."""
    made = ["run", TARGET, "--model", "scripted:random", "--repeats", "2", "--output", str(tmp_path / "made")]
    assert main(made) == 0
    (folder,) = find_packages(tmp_path / "made")
    assert run(capsys, "export", "inspect", folder, "--output", tmp_path / "logs")[0] == 0
    (log,) = (tmp_path / "logs").glob("*.eval")
    _, package = imported(log, tmp_path, target=None)
    before, after = (sorted(map(bare, judge_package(one)), key=str) for one in (open_package(folder), package))
    assert before == after
    assert len(before) == 6 * 2 * 2


def bare(verdict: Verdict) -> Verdict:
    return replace(verdict, anomalies=tuple(one for one in verdict.anomalies if one != "missing_phase"))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return imported(LOGS / "quick.json", tmp_path_factory.mktemp("package"))[1]


def sample(plain: dict[str, object], place: int = 0) -> dict[str, object]:
    samples = plain["samples"]
    assert isinstance(samples, list)
    found: dict[str, object] = json.loads(json.dumps(samples[place]))
    return found


def log_of(folder: Path, plain: dict[str, object], *samples: dict[str, object], **head: object) -> Path:
    path = folder / "log.json"
    path.write_text(json.dumps({**plain, **head, "samples": samples}), encoding="utf-8")
    return path


def asks_otherwise(one: dict[str, object]) -> Iterator[dict[str, object]]:
    yield json.loads(json.dumps(one).replace("DOS-71926", "DOS-99999"))


def offers_otherwise(one: dict[str, object]) -> Iterator[dict[str, object]]:
    yield {**one, "metadata": {"offered_tools": ["verwerk_hypotheek_aanvraag"]}}


def twice(one: dict[str, object]) -> Iterator[dict[str, object]]:
    yield from (one, one)


def of_no_epoch(one: dict[str, object]) -> Iterator[dict[str, object]]:
    yield {**one, "epoch": 10**9}


def of_another_case(one: dict[str, object]) -> Iterator[dict[str, object]]:
    yield {**one, "id": "../../etc/passwd"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(asks_otherwise, "does not ask what the case", id="another instruction"),
        pytest.param(offers_otherwise, "offered other tools", id="other tools"),
        pytest.param(twice, "comes twice", id="an epoch twice"),
        pytest.param(of_no_epoch, "epoch is none", id="a huge epoch"),
        pytest.param(of_another_case, "no sample is of a case", id="an id of no case"),
    ],
)
def test_samples_that_are_no_attempts_at_their_cases_are_refused(
    tmp_path: Path, plain: dict[str, object], change: object, said: str
) -> None:
    assert callable(change)
    with pytest.raises(BadInputError, match=said):
        imported(log_of(tmp_path, plain, *change(sample(plain))), tmp_path)


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        pytest.param({"error": {"message": "503"}}, "provider_error", id="an error"),
        pytest.param({"limit": {"type": "time", "limit": 9}}, "timeout", id="the time limit"),
        pytest.param({"limit": {"type": "message", "limit": 9}}, "budget_exhausted", id="another limit"),
        pytest.param({"limit": None, "error": None}, "completed", id="neither"),
    ],
)
def test_errors_and_limits_become_outcomes(
    tmp_path: Path, plain: dict[str, object], change: dict[str, object], outcome: str
) -> None:
    _, package = imported(log_of(tmp_path, plain, {**sample(plain), **change}), tmp_path)
    (attempt,) = package.attempts()
    assert attempt.outcome == outcome


def test_a_log_without_a_known_task_needs_a_target(tmp_path: Path, plain: dict[str, object]) -> None:
    with pytest.raises(FcbenchError, match="does not say of which cases"):
        imported(log_of(tmp_path, plain, sample(plain)), tmp_path, target=None)


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", '{"eval": {}}')
        archive.writestr("samples/x.json", b" " * (257 * 1024 * 1024))
    with pytest.raises(BadInputError, match="too large"):
        list(read_log(path).samples)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"PK\x03\x04 torn", id="a torn ZIP"),
        pytest.param(b"[1]", id="no object"),
        pytest.param(b'{"eval": 1}', id="no evaluation"),
        pytest.param(b"[" * 100_000, id="deep"),
    ],
)
def test_what_is_no_log_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(content)
    with pytest.raises(BadInputError):
        list(read_log(path).samples)


def test_without_the_backport_a_packed_log_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.version_info >= (3, 14):
        pytest.skip("Python 3.14 reads Zstandard itself")
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    with pytest.raises(UnavailableError, match="Zstandard") as caught:
        imported(LOGS / "quick.eval", tmp_path)
    assert "fcbench[inspect]" in (caught.value.next_step or "")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = (
    "messages",
    "metadata",
    "output",
    "model_usage",
    "error",
    "limit",
    "events",
    "started_at",
    "total_time",
    "epoch",
)


@given(changes=st.dictionaries(st.sampled_from(FIELDS), JSON), message=st.dictionaries(st.text(max_size=8), JSON))
def test_any_sample_gives_an_attempt_that_can_be_judged(
    package: Package, changes: dict[str, object], message: dict[str, object]
) -> None:
    one, case = sample(log_as_json()), package.cases[CaseId("cs-nl-001")]
    messages = one["messages"]
    assert isinstance(messages, list)
    drawn = {**one, "messages": [*messages[:3], {"role": "assistant", "tool_calls": [message]}, message], **changes}
    first_words(drawn)  # type: ignore[arg-type]
    offered_in(drawn)  # type: ignore[arg-type]
    offered = next(iter(package.attempts())).candidates
    attempt = attempt_of(Sample(case, 1, drawn), package.contracts, offered)  # type: ignore[arg-type]
    assert decode_line(encode_line(attempt), Attempt) == attempt
    if attempt.outcome in SCORABLE:
        judge(case, attempt, package.contracts, "contract", "native-function-contract")


@given(JSON)
def test_text_of_any_content_is_a_text(content: object) -> None:
    assert isinstance(text_of(content), str)  # type: ignore[arg-type]


def test_a_package_with_eight_tools_on_offer_comes_back(tmp_path: Path, capsys: Capture) -> None:
    """From the workbench: its contract tier is that of the package; what only real tools tell stays behind."""
    asked = ("genomics/pilot", "--model", "scripted:random", "--retrieval", "lexical:8", "--repeats", "1")
    assert run(capsys, "run", *asked, "--output", tmp_path / "runs", "--progress", "plain")[0] == 0
    (folder,) = (tmp_path / "runs").glob("*/*-random-*")
    assert run(capsys, "export", "inspect", folder, "--output", tmp_path / "logs")[0] == 0
    (log,) = (tmp_path / "logs").glob("*.eval")
    report, package = imported(log, tmp_path / "back", target=None)
    carried = {case.id for case in open_package(folder).cases.values() if "contract" in case.harnesses}
    assert 0 < len(carried) < 60
    assert (report.attempts, report.missing, set(package.cases)) == (len(carried), 0, carried)
    assert package.header.key.retrieval == str(RetrievalSpec.parse("lexical:8"))


def test_a_log_whose_ranking_is_gone_is_refused_with_its_number(tmp_path: Path, capsys: Capture) -> None:
    """Its tools cannot be chosen again, and under another ranking it would stand on a board that it was not run on."""
    (folder,) = ROOT.glob("runs/8aac33366757/20261201-100516-genomics-pilot-random-*")
    assert run(capsys, "export", "inspect", folder, "--output", tmp_path / "logs")[0] == 0
    (log,) = (tmp_path / "logs").glob("*.eval")
    with pytest.raises(UsageError, match="ranking 5 is gone"):
        imported(log, tmp_path, target=None)

"""Sweeps: what a file lays out, what is refused with its line, what one failing run means for the others."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from fcbench.cli.main import main
from fcbench.engine.events import AttemptEnded, Event, nobody
from fcbench.engine.prices import Price, PriceList
from fcbench.errors import BadInputError, InterruptedRunError
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.sweep import SweepRequest, SweepState, state_file, sweep
from fcbench.workflows.sweep_file import read_sweep
from fcbench.workflows.sweep_plan import PlannedRun, plan_runs

GOOD = """\
name: small
models:
  - model: scripted:null
  - model: openai_chat:nobody
    options: {api_key_env: FCBENCH_TEST_NO_SUCH_KEY}
targets: [genomics/quick]
harnesses: [contract]
modes: [production-parity, oracle-assisted]
exclude:
  - {model: "openai_chat:nobody", mode: oracle-assisted, why: too dear}
"""


@pytest.fixture(scope="module")
def material() -> Material:
    return load(find_project())


def planned(
    material: Material, folder: Path, text: str = GOOD, prices: PriceList | None = None
) -> tuple[PlannedRun, ...]:
    file = folder / "sweep.yaml"
    file.write_text(text)
    read, found = read_sweep(file, material)
    return plan_runs(material, found, folder / "runs", name=read.name, prices=prices)


def swept(material: Material, folder: Path, text: str = GOOD) -> SweepState:
    return sweep(material, SweepRequest(name="small", planned=planned(material, folder, text), runs=folder / "runs"))


@pytest.mark.parametrize(
    ("old", "new", "line", "place"),
    [
        pytest.param("name: small", "name: a/b", 1, "/name", id="name"),
        pytest.param("genomics/quick", "genomics/quik", 6, "/targets/0", id="target"),
        pytest.param("scripted:null", "null", 3, "/models/0/model", id="model-without-provider"),
        pytest.param("openai_chat:nobody\n", "scripted:null\n", 4, "/models/1", id="model-twice"),
        pytest.param("options:", "option:", 5, "/models/1/option", id="unknown-field"),
        pytest.param("options:", "concurrency: 0\n    options:", 5, "/models/1/concurrency", id="concurrency"),
        pytest.param("options:", "delay_s: .inf\n    options:", 5, "/models/1/delay_s", id="not-finite"),
        pytest.param("options:", "ceilings: {max_tokens: 0}\n    options:", 5, "/models/1/ceilings/max_tokens", id="0"),
        pytest.param("[contract]", "[contrakt]", 7, "/harnesses/0", id="harness"),
        pytest.param(
            '{model: "openai_chat:nobody", mode: oracle-assisted, why: too dear}',
            "{why: no}",
            10,
            "/exclude/0",
            id="all",
        ),
        pytest.param("name: small", "repeats: 0\nname: small", 1, "/repeats", id="repeats"),
        pytest.param("name: small", "format_version: 2\nname: small", 1, "/format_version", id="format"),
        pytest.param("[genomics/quick]", "[]", 6, "/targets", id="nothing"),
    ],
)
def test_a_bad_file_is_refused_with_line_and_field(
    material: Material, tmp_path: Path, old: str, new: str, line: int, place: str
) -> None:
    assert old in GOOD
    with pytest.raises(BadInputError) as caught:
        planned(material, tmp_path, GOOD.replace(old, new, 1))
    where = caught.value.where or ""
    assert f"sweep.yaml:{line}, field {place}" in where


def test_the_plan_has_every_combination_and_says_what_is_excluded(material: Material, tmp_path: Path) -> None:
    plan = planned(material, tmp_path)
    assert [
        (one.combination.request.model, one.combination.request.mode, one.combination.excluded) for one in plan
    ] == [
        ("scripted:null", "production-parity", None),
        ("scripted:null", "oracle-assisted", None),
        ("openai_chat:nobody", "production-parity", None),
        ("openai_chat:nobody", "oracle-assisted", "too dear"),
    ]
    assert {one.attempts_most for one in plan if one.is_open} == {8}
    assert len({one.run_id for one in plan}) == 4
    assert not (tmp_path / "runs").exists()


def test_auto_repeats_give_a_range_of_attempts(material: Material, tmp_path: Path) -> None:
    one = planned(material, tmp_path, GOOD.replace("genomics/quick", "complex-schema-nl") + "repeats: auto\n")[0]
    assert (one.attempts_least, one.attempts_most) == (20 * 3 + 180, 200 * 3)


def test_an_unknown_price_stays_unknown_and_a_known_one_is_reckoned(material: Material, tmp_path: Path) -> None:
    prices = PriceList(date="2026-01-01", currency="USD", models={"scripted:null": Price(input=2.0, output=10.0)})
    known, _, unknown, _ = planned(material, tmp_path, prices=prices)
    assert known.cost == pytest.approx((known.input_tokens * 2 + known.output_tokens * 10) / 1_000_000)
    assert known.cost
    assert known.cost > 0
    assert unknown.cost is None


def test_a_ceiling_on_money_without_a_price_is_a_problem_of_that_run_alone(material: Material, tmp_path: Path) -> None:
    text = GOOD.replace("options: {api", "ceilings: {max_cost: 1}\n    options: {api")
    first, _, priceless, _ = planned(material, tmp_path, text)
    assert first.is_open
    assert "price of this model is unknown" in priceless.problem


def test_another_setting_is_another_run(material: Material, tmp_path: Path) -> None:
    before = planned(material, tmp_path)[0].run_id
    after = planned(
        material, tmp_path, GOOD.replace("  - model: scripted:null", "  - {model: scripted:null, temperature: 1}")
    )
    assert after[0].run_id != before
    assert planned(material, tmp_path)[0].run_id == before


def test_one_failing_run_stops_no_other_and_sealed_runs_are_skipped(material: Material, tmp_path: Path) -> None:
    text = GOOD.replace("  - model: scripted:null\n", "").replace("targets", "  - model: scripted:null\ntargets")
    state = swept(material, tmp_path, text)
    assert [one.status for one in state.runs] == ["failed", "excluded", "sealed", "sealed"]
    assert "FCBENCH_TEST_NO_SUCH_KEY" in state.runs[0].message
    assert state.exit_code == state.runs[0].exit_code != 0
    assert json.loads(state_file(tmp_path / "runs", "small").read_text())["runs"][2]["status"] == "sealed"
    packages = {path: path.stat().st_mtime_ns for path in (tmp_path / "runs").glob("*/*/manifest.json")}
    assert len(packages) == 2
    assert [one.is_open for one in planned(material, tmp_path, text)] == [True, False, False, False]
    again = swept(material, tmp_path, text)
    assert [one.status for one in again.runs] == [one.status for one in state.runs]
    assert {path: path.stat().st_mtime_ns for path in packages} == packages


def test_a_run_at_its_ceiling_goes_on_with_the_same_sweep(material: Material, tmp_path: Path) -> None:
    text = GOOD[: GOOD.index("exclude")].replace("modes: [production-parity, oracle-assisted]\n", "")
    text = text[: text.index("  - model: openai")] + text[text.index("targets") :]
    limited = text.replace("scripted:null", "scripted:null\n    ceilings: {max_requests: 3}")
    state = swept(material, tmp_path, limited)
    assert [(one.status, one.exit_code) for one in state.runs] == [("stopped", 75)]
    assert state.exit_code == 75
    assert state.runs[0].spent
    assert state.runs[0].spent.requests == 3
    done = swept(material, tmp_path, text)
    assert [one.status for one in done.runs] == ["sealed"]
    assert done.runs[0].run_id == state.runs[0].run_id
    assert done.exit_code == 0


@pytest.fixture
def refusing() -> Iterator[str]:
    """A server that takes no key."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(401)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


def test_a_model_that_refuses_us_is_asked_once_and_the_next_model_runs(
    material: Material, tmp_path: Path, refusing: str
) -> None:
    text = GOOD[: GOOD.index("exclude")].replace("scripted:null", "scripted:oracle")
    text = text.replace("  - model: scripted:oracle\n", "").replace("targets", "  - model: scripted:oracle\ntargets")
    state = swept(
        material, tmp_path, text.replace("{api_key_env: FCBENCH_TEST_NO_SUCH_KEY}", f"{{base_url: '{refusing}'}}")
    )
    assert [one.status for one in state.runs] == ["stopped", "stopped", "sealed", "sealed"]
    assert "not begun" not in state.runs[0].message
    assert state.runs[1].message == "not begun: in an earlier run of this model: refused"
    assert state.exit_code == 75


def test_an_interrupted_sweep_ends_and_goes_on(material: Material, tmp_path: Path) -> None:
    text = GOOD[: GOOD.index("  - model: openai")] + GOOD[GOOD.index("targets") : GOOD.index("exclude")]
    plan = planned(material, tmp_path, text)
    request = SweepRequest(name="small", planned=plan, runs=tmp_path / "runs")

    def interrupt(event: Event) -> None:
        if isinstance(event, AttemptEnded) and event.done == 2:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(InterruptedRunError, match="the sweep was interrupted") as caught:
        sweep(material, request, follow=lambda one, place, number: nullcontext(interrupt))
    assert caught.value.exit_code == 130
    written = json.loads(state_file(tmp_path / "runs", "small").read_text())
    assert [one["status"] for one in written["runs"]] == ["stopped", "open"]
    done = swept(material, tmp_path, text)
    assert [one.status for one in done.runs] == ["sealed", "sealed"]
    assert [one.run_id for one in done.runs] == [one.run_id for one in plan]


def test_a_fault_in_one_run_is_noted_and_the_next_begins(material: Material, tmp_path: Path) -> None:
    text = GOOD[: GOOD.index("  - model: openai")] + GOOD[GOOD.index("targets") : GOOD.index("exclude")]
    request = SweepRequest(name="small", planned=planned(material, tmp_path, text), runs=tmp_path / "runs")

    def broken(event: Event) -> None:
        raise RuntimeError("display")

    state = sweep(material, request, follow=lambda one, place, number: nullcontext(broken if place == 1 else nobody))
    assert [(one.status, one.exit_code) for one in state.runs] == [("failed", 70), ("sealed", 0)]
    assert "RuntimeError: display" in state.runs[0].message


def test_the_command_prints_plan_and_state(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "sweep.yaml"
    file.write_text(GOOD)
    asked = ["sweep", str(file), "--output", str(tmp_path / "runs")]
    assert main([*asked, "--dry-run"]) == 0
    told = capsys.readouterr()
    assert "excluded: too dear" in told.out
    assert "3 of 4 runs to make, 24 attempts" in told.out
    assert "cost unknown" in told.out
    assert main([*asked, "--json"]) not in (0, 70)
    told = capsys.readouterr()
    assert [one["status"] for one in json.loads(told.out)["runs"]] == ["sealed", "sealed", "failed", "excluded"]
    assert "run 3 of 3: openai_chat:nobody" in told.err

"""The live display of a run: recorded consoles, hostile replies, a terminal, a pipe and lines of JSON."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from fcbench.cli.live import LiveDisplay
from fcbench.cli.live_state import LiveState
from fcbench.cli.main import main
from fcbench.cli.output import safe_line
from fcbench.core.evidence import Attempt, Call, CallResult, Round
from fcbench.core.names import CaseId, Digest
from fcbench.engine.events import (
    AttemptBegun,
    AttemptDropped,
    AttemptEnded,
    Event,
    RoundBegun,
    RoundEnded,
    RunBegun,
    RunEnded,
    Spent,
    Waiting,
)
from fcbench.workflows.judging import Onlooker
from fcbench.workflows.project import find_project, load
from tests.cli.terminals import in_terminal

AT = "2026-01-02T03:04:05.000Z"
CASE = CaseId("cs-nl-001")
HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202eevil\u2066\r\n\t\x9b31m\ud800" + "漢" * 300


class Time:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def onlooker() -> Onlooker:
    return Onlooker(load(find_project()), "complex-schema-nl")


def begun(**changes: object) -> RunBegun:
    given: dict[str, object] = {
        "at": AT,
        "run_id": "some-run",
        "folder": "runs/some-run.partial",
        "collection": "complex-schema-nl",
        "provider": "scripted",
        "model": "oracle",
        "harness": "contract",
        "mode": "production-parity",
        "retrieval": "given",
        "decoding": "free",
        "cases": 3,
        "repeats": 1,
        "planned": 3,
        "concurrency": 2,
    }
    return msgspec.convert({**given, **changes}, RunBegun)


def a_round(name: str = "plan_trip", text: str = "", calls: int = 1, status: str = "ok") -> Round:
    result = msgspec.convert({"status": status, "content": {}}, CallResult)
    made = tuple(
        Call(id=f"c{place}", name=name, raw_arguments="{}", arguments={}, result=result) for place in range(calls)
    )
    return Round(
        number=1,
        started_at=AT,
        duration_s=1.0,
        reply_s=0.9,
        text=text,
        finish_reason="stop",
        calls=made,
        request_sha256=Digest("0" * 64),
        reply_sha256=Digest("0" * 64),
    )


def ended(outcome: str = "completed", rounds: tuple[Round, ...] = (), done: int = 1, **spent: object) -> AttemptEnded:
    attempt = msgspec.convert(
        {"task_id": CASE, "repeat": 1, "outcome": outcome, "started_at": AT, "duration_s": 2.0}, Attempt
    )
    attempt = msgspec.structs.replace(attempt, rounds=rounds)
    return AttemptEnded(at=AT, attempt=attempt, done=done, planned=3, spent=msgspec.convert(spent, Spent))


def shown(onlooker: Onlooker, events: list[Event], *, width: int = 80, height: int = 30, note: str = "") -> str:
    console = Console(
        record=True, file=io.StringIO(), width=width, height=height, force_terminal=True, color_system="truecolor"
    )
    display = LiveDisplay(console, onlooker, note=note, clock=Time())
    for event in events:
        display.tell(event)
    console.print(display.picture())
    return console.export_text()


def under_way() -> list[Event]:
    return [
        begun(),
        AttemptBegun(at=AT, task_id=CASE, repeat=1),
        RoundBegun(at=AT, task_id=CASE, repeat=1, number=1),
        RoundEnded(at=AT, task_id=CASE, repeat=1, turn=a_round()),
    ]


def test_header_names_model_board_and_size(onlooker: Onlooker) -> None:
    text = shown(onlooker, [begun(resumed=True, done=2)], note="picked cases: not ranked")
    assert "scripted:oracle" in text
    assert "3 cases, 2 in flight at most, resumed at 2" in text
    assert "complex-schema-nl | contract | production-parity | given | free" in text
    assert "picked cases: not ranked" in text
    assert "2/3  67 %" in text


def test_calls_of_a_round_are_badges_with_their_status(onlooker: Onlooker) -> None:
    text = shown(onlooker, under_way())
    assert "[plan_trip] ok" in text
    assert "cs-nl-001 repeat 1  round 1, 0 s" in text


def test_badges_have_the_colour_of_the_effect(onlooker: Onlooker) -> None:
    case = load(find_project()).suites.cases[CASE]
    name = str(case.oracle.calls[0].tool)
    assert onlooker.effect(CASE, name) is not None
    assert onlooker.effect(CASE, "no_such_tool") is None
    assert onlooker.effect("no-such-case", name) is None


def test_an_attempt_without_a_call_fails_in_the_display(onlooker: Onlooker) -> None:
    text = shown(onlooker, [begun(), ended(rounds=(a_round(calls=0, text="no"),))], width=120)
    assert "passed 0  failed 1  0.0 % of 1 judged here, native-function-contract" in text
    assert "cs-nl-001 1 failed  completed in 2.0 s, 1 round" in text


def test_a_providers_failure_is_no_verdict(onlooker: Onlooker) -> None:
    text = shown(onlooker, [begun(), ended("provider_error", done=0)])
    assert "passed 0  failed 0  provider error 1" in text


@pytest.mark.parametrize(
    ("spent", "currency", "wanted"),
    [
        pytest.param(
            {"input_tokens": 1200, "output_tokens": 30}, None, "1,200 in, 30 out   cost unknown", id="no-price"
        ),
        pytest.param({"uncounted": 2}, None, "tokens  not counted   cost unknown", id="uncounted"),
        pytest.param({"cost": 0.0}, "USD", "0 in, 0 out   cost 0.0000 USD", id="free"),
        pytest.param(
            {"input_tokens": 5, "uncounted": 2, "cost": 0.5},
            "EUR",
            "at least 5 in, 0 out   cost at least 0.5000 EUR",
            id="lower-bound",
        ),
    ],
)
def test_an_unknown_cost_stays_unknown(
    onlooker: Onlooker, spent: dict[str, object], currency: str | None, wanted: str
) -> None:
    assert wanted in shown(onlooker, [begun(currency=currency), ended(**spent)])


def test_a_wait_says_why_and_how_long(onlooker: Onlooker) -> None:
    wait = Waiting(at=AT, why="rate limited", seconds=30, until=AT, detail="slow \x1b[31mdown")
    text = shown(onlooker, [begun(), wait, Waiting(at=AT, why="retry", seconds=1, until=AT)], width=110)
    assert "0 requests, 1 retry, rate limited 1  waiting 30 s, rate limited: slow \\u001b[31mdown" in text


def test_rate_and_time_left_follow_the_latest_attempts() -> None:
    state = LiveState(lambda attempt: None)
    state.take(begun(planned=101), 0.0)
    assert (state.rate(5.0), state.seconds_left(5.0)) == (None, None)
    for number in range(1, 61):
        state.take(msgspec.structs.replace(ended(done=number), planned=101), number * 2.0)
    assert state.rate(120.0) == pytest.approx(0.5)
    assert state.seconds_left(120.0) == pytest.approx(82.0)


def test_a_dropped_attempt_is_in_flight_no_more() -> None:
    state = LiveState(lambda attempt: None)
    for event in under_way():
        state.take(event, 1.0)
    assert list(state.in_flight) == [(CASE, 1, 1)]
    state.take(AttemptDropped(at=AT, task_id=CASE, repeat=1), 2.0)
    assert not state.in_flight


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("height", [10, 24, 60])
def test_nothing_hostile_leaves_its_line(onlooker: Onlooker, width: int, height: int) -> None:
    events = [
        *under_way(),
        RoundEnded(at=AT, task_id=CASE, repeat=1, turn=a_round(name=HOSTILE, calls=200, status="not_offered")),
        RoundEnded(at=AT, task_id=CASE, repeat=1, turn=a_round(text=HOSTILE * 10_000, calls=0)),
        Waiting(at=AT, why="rate limited", seconds=9, until=AT, detail=HOSTILE),
        *[ended() for _ in range(100)],
        *[AttemptBegun(at=AT, task_id=CASE, repeat=number) for number in range(2, 400)],
    ]
    text = shown(onlooker, events, width=width, height=height)
    lines = text.rstrip("\n").split("\n")
    assert len(lines) <= max(height, 14)
    assert {cell_len(line) for line in lines} == {width}
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)


def test_display_before_and_after_a_run(onlooker: Onlooker) -> None:
    assert "being prepared" in shown(onlooker, [])
    end = RunEnded(at=AT, reason="sealed", folder="runs/some-run", done=3, planned=3)
    text = shown(onlooker, [*under_way(), end])
    assert "3/3  100 %" in text
    assert "in flight  " not in text


def arguments(folder: Path, *more: str) -> list[str]:
    return [
        "run",
        "genomics/quick",
        "--model",
        "scripted:null",
        "--harness",
        "contract",
        "--output",
        str(folder),
        *more,
    ]


def test_a_terminal_gets_a_display_and_a_result(tmp_path: Path) -> None:
    code, seen = in_terminal(arguments(tmp_path))
    assert code == 0
    assert "\x1b[?25l" in seen, "no cursor was hidden: no display was drawn"
    assert "8/8" in seen
    assert "sealed  " in seen


@pytest.mark.parametrize(
    ("environment", "drawn", "coloured"),
    [
        pytest.param({"NO_COLOR": "1"}, True, False, id="no-colour"),
        pytest.param({"TERM": "dumb"}, False, False, id="dumb"),
    ],
)
def test_terminals_that_can_do_less(tmp_path: Path, environment: dict[str, str], drawn: bool, coloured: bool) -> None:
    code, seen = in_terminal(arguments(tmp_path), **environment)
    assert code == 0
    assert ("\x1b[?25l" in seen) == drawn
    assert bool(re.search(r"\x1b\[[0-9;]*3[0-9][0-9;]*m", seen)) == coloured
    assert ("[8/8] " in seen) != drawn


def test_a_pipe_gets_plain_lines_and_the_result_alone_on_stdout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(tmp_path, "--json")) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["counts"] == {"completed": 8}
    assert told.err.count("\n") == 8
    assert told.err.startswith("[1/8] ")


def test_events_are_lines_of_json_in_a_file_or_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(tmp_path, "--events", str(tmp_path / "events.jsonl"), "--progress", "none")) == 0
    assert capsys.readouterr().err == ""
    kinds = [json.loads(line)["event"] for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert (kinds[0], kinds[-1], kinds.count("attempt_ended")) == ("run_begun", "run_ended", 8)
    assert main(arguments(tmp_path, "--events", "-")) == 0
    told = capsys.readouterr()
    assert [json.loads(line)["event"] for line in told.err.splitlines()] == kinds
    assert "sealed" in told.out


def test_events_and_display_that_cannot_be_are_refused_before_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(tmp_path, "--events", str(tmp_path / "none" / "events"))) == 73
    assert main(arguments(tmp_path, "--progress", "live")) == 64
    assert "stderr goes to a file or a pipe" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_line_of_events_is_whole_and_moves_no_terminal() -> None:
    line = safe_line({"text": HOSTILE})
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", line)
    assert json.loads(line) == {"text": HOSTILE}

"""`fcbench try` as a user calls it: the real `main`, a terminal and a pipe, hostile replies, every way it can end."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from fcbench.cli.call_report import BADGES
from fcbench.cli.main import main
from fcbench.cli.screen import MAX_LETTERS, MAX_LINES
from tests.cli.terminals import in_terminal, shown_blocks, timeless

Capture = pytest.CaptureFixture[str]
PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/try-a-case.md"
CASE = "cs-nl-012"


def run(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    code = main(["try", *map(str, arguments)])
    told = capsys.readouterr()
    return code, told.out, told.err


class Endpoint:
    """What a server on loopback answers, reply after reply; the last one again and again."""

    def __init__(self) -> None:
        self.url = ""
        self.replies: list[dict[str, object]] = []
        self.status = 200
        self.error = "no \x1b[31mkey"
        self.requests = 0
        self.before: Callable[[int], None] = lambda number: None
        """Called with the number of a request before it is answered."""

    def calls(self, *pairs: tuple[str, str]) -> None:
        listed = [
            {"id": f"c{place}", "type": "function", "function": {"name": name, "arguments": raw}}
            for place, (name, raw) in enumerate(pairs)
        ]
        self.replies.append({"message": {"content": None, "tool_calls": listed}, "finish_reason": "tool_calls"})

    def says(self, text: str, finish_reason: str = "stop") -> None:
        self.replies.append({"message": {"content": text}, "finish_reason": finish_reason})


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    state = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            state.requests += 1
            state.before(state.requests)
            choice = state.replies.pop(0) if len(state.replies) > 1 else state.replies[0]
            body: object = {"choices": [choice], "usage": {"prompt_tokens": 1234, "completion_tokens": 5}}
            raw = json.dumps(body if state.status == 200 else {"error": {"message": state.error}}).encode()
            self.send_response(state.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


def against(endpoint: Endpoint, case: str = CASE) -> tuple[str, ...]:
    return (case, "--model", "openai_chat:m", "--base-url", endpoint.url)


def test_a_golden_run_on_the_workbench_passes_at_every_tier(capsys: Capture) -> None:
    code, out, err = run(capsys, "gs-007", "--model", "scripted:oracle", "--harness", "workbench")
    assert (code, err) == (0, "")
    assert re.search(r"^round 1  \d+\.\d\d s, reply \d+\.\d\d s, tool_calls$", out, re.MULTILINE)
    assert "    [get_sequence] reads\n" in out
    assert re.search(r"^ +ok  \d+\.\d ms  computed  fcbench [\d.]+$", out, re.MULTILINE)
    assert re.findall(r"^PASSED  (\S+)", out, re.MULTILINE) == [
        "task-completion-execution",
        "native-function-contract",
        "real-tool-execution",
    ]
    assert "task-completion-execution (headline)" in out
    assert "  yes  executed " in out


def test_a_failure_gives_each_condition_with_its_reason_and_the_faults(capsys: Capture) -> None:
    code, out, _ = run(capsys, CASE, "--model", "scripted:lexical")
    assert code == 1
    headline = out.split("\n\n")[-2]
    assert headline.startswith("NOT PASSED  native-function-contract (headline)")
    assert "  no   argument_values  Argument values do not match in: s1 (zoek_huurwoningen)." in headline
    assert '  fault wrong_value: Wrong value at /filters/0/plaatsen/0: expected "Tilburg", found "Breda".' in headline
    assert "  partial score 0." in headline
    assert "fidelity no" in headline


def test_json_is_one_value_with_attempt_and_verdicts_and_a_line_a_round_on_stderr(capsys: Capture) -> None:
    code, out, err = run(capsys, "gs-007", "--model", "scripted:oracle", "--json")
    data = json.loads(out)
    assert code == 0
    assert (data["case"], data["harness"], data["mode"]) == ("gs-007", "workbench", "production-parity")
    assert (data["passed"], data["headline_tier"]) == (True, "task-completion-execution")
    assert [verdict["tier"] for verdict in data["verdicts"]] == [
        "task-completion-execution",
        "native-function-contract",
        "real-tool-execution",
    ]
    assert len(data["attempt"]["rounds"]) == 2
    assert re.fullmatch(r"round 1: get_sequence in \d+\.\d s\nround 2: no call in \d+\.\d s\n", err)


def test_nothing_is_written(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "gs-007", "--model", "scripted:oracle")[0] == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        pytest.param(["gs-9", "--model", "scripted:null"], 66, "did you mean gs-1", id="no such case"),
        pytest.param(
            [CASE, "--model", "scripted:null", "--harness", "workbench"], 64, "--harness contract", id="harness"
        ),
        pytest.param(
            ["gs-007", "--model", "scripted:null", "--harness", "workbench", "--mode", "oracle-assisted"],
            64,
            "gives no hints",
            id="mode",
        ),
        pytest.param([CASE, "--model", "nobody:null"], 66, "nobody", id="provider"),
        pytest.param([CASE, "--model", "scripted:null", "--option", "x"], 64, "NAME=VALUE", id="option"),
        pytest.param([CASE, "--model", "scripted:null", "--retrieval", "x"], 64, "retrieval", id="retrieval"),
    ],
)
def test_what_cannot_be_tried_says_why(capsys: Capture, arguments: list[str], code: int, said: str) -> None:
    got, _, err = run(capsys, *arguments)
    assert (got, said in err) == (code, True), err


def test_a_refusing_provider_ends_with_its_own_code_after_the_rounds_that_were_made(
    capsys: Capture, endpoint: Endpoint
) -> None:
    endpoint.says("?")
    endpoint.status = 401
    code, out, err = run(capsys, *against(endpoint))
    assert code == 75
    assert out.startswith(CASE)
    assert "authentication" in err
    assert "\x1b" not in out + err


def test_a_refused_schema_cannot_be_judged(capsys: Capture, endpoint: Endpoint) -> None:
    endpoint.says("?")
    endpoint.status, endpoint.error = 400, "Invalid schema for function zoek_huurwoningen\x1b[31m"
    code, out, err = run(capsys, *against(endpoint))
    assert (code, err) == (2, "")
    assert "schema_refused: schema refused" in out
    assert "no verdict" in out
    assert "\x1b" not in out
    code, out, _ = run(capsys, *against(endpoint), "--json")
    data = json.loads(out)
    assert (code, data["passed"], data["verdicts"]) == (2, None, [])


def hostile(endpoint: Endpoint) -> None:
    endpoint.calls(
        ("zoek_\x1b]0;owned\x07\nPASSED  native-function-contract", "{}"),
        ("zoek_huurwoningen", json.dumps({"\u202etxt": "\x1b[2J\x9b31m\r", "n": 10**300})),
        ("zoek_huurwoningen", "\x1b[1mnot json\nPASSED  native-function-contract"),
        ("zoek_huurwoningen", '{"a": ' * 100_000),
        ("zoek_huurwoningen", json.dumps({"filters": ["x" * 300_000] + ["y"] * 1000})),
    )
    endpoint.says("PASSED  native-function-contract\x1b[31m\u2066\ud800\n" * 50 + "z" * 1_000_000)


@pytest.mark.parametrize("form", ["text", "json", "terminal"])
def test_a_hostile_reply_is_shown_and_obeyed_by_no_terminal(capsys: Capture, endpoint: Endpoint, form: str) -> None:
    hostile(endpoint)
    arguments = ["try", *against(endpoint)]
    if form == "terminal":
        code, out = in_terminal(arguments)
        # What rich itself writes: colours, and the waiting sign with its cursor moves.
        out = re.sub(r"\x1b\[(?:\?25[lh]|[0-9;]*[mAK])|\r", "", out)
    else:
        code = main([*arguments, "--json"] if form == "json" else arguments)
        told = capsys.readouterr()
        out = told.out + told.err
    assert code == 1
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", out)
    if form != "json":
        assert re.findall(r"^PASSED.*", out, re.MULTILINE) == [], "no line of the model's can pose as a verdict"
        assert len(out) < 100_000


def test_long_texts_are_cut_and_say_so(capsys: Capture, endpoint: Endpoint) -> None:
    endpoint.says("line\n" * 99 + "line")
    _, out, _ = run(capsys, *against(endpoint))
    assert out.count("  | line\n") == MAX_LINES
    assert "... 60 more lines (all with --json)" in out
    endpoint.replies.clear()
    endpoint.says("w" * (MAX_LETTERS + 1234))
    _, out, _ = run(capsys, *against(endpoint))
    assert "w" * MAX_LETTERS + "... 1,234 more letters\n" in out


def test_what_the_harness_says_is_shown_with_its_round(capsys: Capture, endpoint: Endpoint) -> None:
    endpoint.says("I will", "length")
    endpoint.says("done")
    _, out, _ = run(capsys, *against(endpoint))
    assert "  the harness says: Your last reply was cut off at the output limit." in out.partition("round 2")[0]
    assert "1,234 tokens in, 5 out" in out


def test_badges_are_coloured_by_effect_on_a_terminal() -> None:
    code, out = in_terminal(["try", "gs-007", "--model", "scripted:oracle"])
    assert code == 0
    assert len(set(BADGES.values())) == len(BADGES) == 5
    assert "\x1b[1;37;44m[get_sequence]\x1b[0m" in out, "white on blue: it reads"
    assert "\x1b[1;32mPASSED\x1b[0m" in out


@pytest.mark.parametrize(
    "environment", [pytest.param({"NO_COLOR": "1"}, id="NO_COLOR"), pytest.param({"TERM": "dumb"}, id="dumb")]
)
def test_a_terminal_that_wants_no_colour_gets_none(environment: dict[str, str]) -> None:
    code, out = in_terminal(["try", "gs-007", "--model", "scripted:oracle"], **environment)
    assert code == 0
    assert "\x1b" not in out


def test_a_pipe_gets_no_colour_whatever_the_environment_wishes(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b" not in run(capsys, "gs-007", "--model", "scripted:oracle")[1]


def test_each_round_is_shown_before_the_next_one_is_answered(endpoint: Endpoint) -> None:
    endpoint.says("first", "length")
    endpoint.says("second")
    seen = threading.Event()
    waited: list[bool] = []
    endpoint.before = lambda number: waited.append(seen.wait(30)) if number == 2 else None
    command = [sys.executable, "-m", "fcbench", "try", *against(endpoint)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if line.startswith("  the harness says"):
                seen.set()
                break
        rest = child.stdout.read()
    assert waited == [True]
    assert "round 2" in rest


def test_a_reader_who_goes_away_ends_the_command_quietly(endpoint: Endpoint) -> None:
    endpoint.says("first", "length")
    endpoint.says("second")
    gone = threading.Event()

    def hold(_: int) -> None:
        gone.wait(30)

    endpoint.before = hold
    command = [sys.executable, "-m", "fcbench", "try", *against(endpoint)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline().startswith(CASE)
        child.stdout.close()
        gone.set()
        err = child.stderr.read()
    assert (child.returncode, err) == (0, "")
    assert endpoint.requests <= 1, "nobody looks on any more, so nothing more is asked"


@pytest.mark.parametrize(("command", "output"), shown_blocks(PAGE, "fcbench try"))
def test_the_page_shows_what_the_command_prints(capsys: Capture, command: list[str], output: str) -> None:
    main(command)
    assert timeless(capsys.readouterr().out) == timeless(output)

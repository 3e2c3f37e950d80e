"""From stored runs to tables: ours from sealed packages, and inspect_ai's data frames from logs of equal contents.

Both sides begin with files: four runs of 200 cases with five repeats, 4,000 attempts, each with one call, its result
and tokens. Ours reads `attempts.jsonl` and the verdict file and makes every table. The peer goes as far as it goes:
`samples_df` over the logs' summaries (scores, times, tokens and labels of a sample, not its messages), then pandas for
strict accuracy, flip rate and latency a run and accuracy a category and trap. Tools, faults, dimensions, partial scores
and retrieval have no column there.

The peer needs `pip install inspect_ai pandas`.
"""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fcbench.aggregate.boards import boards
from fcbench.aggregate.frames import Scored, verdict_frame
from fcbench.aggregate.streamed import board_tables
from fcbench.aggregate.verdict_files import verdict_files, write_verdicts
from fcbench.core.hashes import oracle_hash
from fcbench.core.verdicts import Verdict
from fcbench.packages.store import find_packages, open_package
from tests.aggregate.tiny_runs import attempt_of, call_case, sealed, verdict_for
from tests.benchmarks.ratios import Ratio, side_by_side

RUNS, CASES, REPEATS = 4, 200, 5
_TRAPS = ("off_by_one", "strand")


def measure(pairs: int = 5) -> Ratio:
    """Ours beside the peer, over files that both find as their own runs left them."""
    with tempfile.TemporaryDirectory(prefix="fcbench-inspect-") as place:
        folder = Path(place)
        for number in range(RUNS):
            _write_package(folder / "ours", number)
            _write_log(folder / "theirs", number)
        attempts = RUNS * CASES * REPEATS
        name = f"tables from {attempts:,} stored attempts (ours / inspect_ai samples_df and pandas)"
        return side_by_side(name, lambda: _ours(folder / "ours"), _peer(folder / "theirs"), pairs)


def _passed(number: int, case: int, repeat: int) -> bool:
    return (case * 7 + repeat * (case % 3) + number) % 4 != 0


def _write_package(folder: Path, number: int) -> None:
    cases = [call_case(f"tiny-{case:04d}", category=f"category-{case % 8}") for case in range(CASES)]
    turns = [(case, repeat) for case in range(CASES) for repeat in range(1, REPEATS + 1)]
    attempts = [attempt_of(cases[case].id, repeat, arguments={"start": 1}) for case, repeat in turns]
    package = sealed(folder, cases, attempts, run_id=f"run-{number}", model=f"model-{number}", repeats=REPEATS)
    verdicts = [_verdict(cases[case].id, repeat, passed=_passed(number, case, repeat)) for case, repeat in turns]
    write_verdicts(package, verdicts, oracle_hash=oracle_hash(cases), evaluator_version=1)


def _verdict(case: str, repeat: int, *, passed: bool) -> Verdict:
    return verdict_for(case, repeat, passed=passed, faults=() if passed else ["wrong_value"])


def _ours(folder: Path) -> None:
    packages = [open_package(path) for path in find_packages(folder)]
    frame = verdict_frame(Scored(package=package, verdicts=verdict_files(package)[-1]) for package in packages)
    for rows in boards(frame).values():
        board_tables([rows.lazy()])


def _write_log(folder: Path, number: int) -> None:
    log: Any = importlib.import_module("inspect_ai.log")
    samples = [_sample(number, case, repeat) for case in range(CASES) for repeat in range(1, REPEATS + 1)]
    spec = log.EvalSpec(
        created="2026-05-04T03:02:01+00:00",
        task="tiny",
        dataset=log.EvalDataset(name="tiny", samples=CASES),
        model=f"model-{number}",
        config=log.EvalConfig(epochs=REPEATS),
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"2026-05-04T03-02-01-00-00_tiny_run{number}.eval"
    log.write_eval_log(log.EvalLog(status="success", eval=spec, samples=samples), str(path))


def _sample(number: int, case: int, repeat: int) -> object:
    log: Any = importlib.import_module("inspect_ai.log")
    model: Any = importlib.import_module("inspect_ai.model")
    call = importlib.import_module("inspect_ai.tool").ToolCall(id="c1", function="gc_content", arguments={"start": 1})
    asked = model.ChatMessageUser(content=f"What is the GC content of tiny-{case:04d}?")
    reply = model.ChatMessageAssistant(content="", tool_calls=[call])
    result = model.ChatMessageTool(content='{"gc": 0.5}', tool_call_id="c1", function="gc_content")
    score = importlib.import_module("inspect_ai.scorer").Score(value=float(_passed(number, case, repeat)))
    return log.EvalSample(
        id=f"tiny-{case:04d}",
        epoch=repeat,
        input=asked.content,
        target="gc_content",
        messages=[asked, reply, result],
        output=model.ModelOutput(model=f"model-{number}", choices=[model.ChatCompletionChoice(message=reply)]),
        scores={"strict": score},
        metadata={"category": f"category-{case % 8}", "traps": list(_TRAPS), "level": "L1"},
        model_usage={f"model-{number}": model.ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)},
        total_time=1.5,
        working_time=1.5,
    )


def _peer(folder: Path) -> Callable[[], None]:
    analysis: Any = importlib.import_module("inspect_ai.analysis")
    columns = [*analysis.EvalModel, *analysis.SampleSummary]

    def read() -> None:
        logs = sorted(str(path) for path in folder.glob("*.eval"))
        frame = analysis.samples_df(logs, columns=columns, quiet=True)
        cases = frame.groupby(["model", "id"])["score_strict"].agg(["mean", "min", "max"]).reset_index()
        cases.groupby("model")["mean"].mean()
        (cases["min"] != cases["max"]).groupby(cases["model"]).mean()
        frame.groupby("model")["total_time"].quantile([0.5, 0.95])
        frame.groupby(["model", "metadata_category"])["score_strict"].mean()
        frame.groupby(["model", "metadata_traps"])["score_strict"].mean()
        if len(frame) != RUNS * CASES * REPEATS:
            raise SystemExit(f"the peer read {len(frame)} samples")

    return read

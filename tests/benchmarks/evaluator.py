"""Judging beside the peer: our verdict and `ast_checker` of bfcl-eval on the same calls, interleaved in one process.

Ours is the whole verdict at `native-function-contract`: schema validation, matching, conditions, partial score,
dimensions and every fault with its sentence. The peer stops at the first thing that is wrong and says that one thing.

The peer comes without its dependencies: `pip install --no-deps bfcl-eval==2026.3.23`, or unpacked into a folder that
PYTHONPATH names. Its checker imports the settings of every model, and those every SDK; that one module is stubbed.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import resource
import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt
from fcbench.core.names import ToolName
from fcbench.evaluator import judge
from fcbench.suites.bfcl import PairRow, attempt_of, case_of, read_pairs
from tests.benchmarks.ratios import Ratio, side_by_side

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "bfcl" / "pairs_dev.jsonl.gz"
"""Where a checkout keeps the pairs; FCBENCH_BFCL_PAIRS names another file."""
Judged = tuple[Case, Attempt, Mapping[ToolName, ToolContract]]


def pairs() -> tuple[list[PairRow], list[Judged]]:
    """The rows that both sides judge: Python, with calls, judged by `ast_checker`."""
    path = Path(os.environ.get("FCBENCH_BFCL_PAIRS", SHARED))
    if not path.is_file():
        raise SystemExit(f"no pairs at {path.name}: set FCBENCH_BFCL_PAIRS to a pairs file")
    rows = [row for row in read_pairs(path) if row.covered and row.calls is not None and row.source.answers is not None]
    ours = []
    for row in rows:
        case, contracts = case_of(row)
        ours.append((case, attempt_of(row), contracts))
    return rows, ours


def peer_checker() -> Callable[..., Any]:
    """The peer's `ast_checker`, the table of models stubbed."""
    if importlib.util.find_spec("bfcl_eval") is None:
        raise SystemExit("the peer is missing: pip install --no-deps bfcl-eval==2026.3.23")
    plain = types.SimpleNamespace(underscore_to_dot=False)
    stub = types.ModuleType("bfcl_eval.constants.model_config")
    stub.MODEL_CONFIG_MAPPING = {"any": plain}  # type: ignore[attr-defined]
    sys.modules.setdefault("bfcl_eval.constants.model_config", stub)
    return importlib.import_module("bfcl_eval.eval_checker.ast_eval.ast_checker").ast_checker  # type: ignore[no-any-return]


def judge_all(judged: list[Judged]) -> None:
    """One verdict a record."""
    for case, attempt, contracts in judged:
        judge(case, attempt, contracts, "contract", "native-function-contract")


def measure(count: int = 15) -> Ratio:
    """Seconds of ours over seconds of the peer's for the same records."""
    rows, judged = pairs()
    check = peer_checker()
    python = importlib.import_module("bfcl_eval.constants.enums").Language.PYTHON
    theirs = [_as_the_peer_wants(row, python) for row in rows]

    def peer() -> None:
        for arguments in theirs:
            check(*arguments)

    form = (
        "compiled" if str(sys.modules["fcbench.evaluator.judge"].__file__).endswith((".so", ".pyd")) else "pure Python"
    )
    name = f"evaluator, {form}, {len(rows)} pairs (our verdict / ast_checker)"
    return side_by_side(name, lambda: judge_all(judged), peer, count)


def _as_the_peer_wants(row: PairRow, language: object) -> tuple[object, ...]:
    source = row.source
    return list(source.functions), list(row.calls or ()), source.answers, language, source.category, "any"


class Memory:
    """Resident memory while a million records are judged."""

    def __init__(self, records: int, seen: list[tuple[int, float]]) -> None:
        self.records, self.seen = records, seen

    def line(self) -> str:
        """One line: the peak after each tenth of the way."""
        told = ", ".join(f"{count:,}: {peak:.0f} MB" for count, peak in self.seen)
        return f"evaluator, peak memory over {self.records:,} records: {told}"


def memory(records: int = 1_000_000) -> Memory:
    """Judge the pairs again and again, and look at the peak after each tenth."""
    _, judged = pairs()
    seen, done = [], 0
    for tenth in range(1, 11):
        while done < records * tenth // 10:
            judge_all(judged)
            done += len(judged)
        seen.append((done, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))
    return Memory(done, seen)

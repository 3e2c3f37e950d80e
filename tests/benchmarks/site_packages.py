"""Synthetic packages for the speed of the site: runs of 200 cases with five repeats, 1,000 attempts each.

The attempts are those of the site's own tests (`tests.site.sample_packages`), with twenty candidates, so that a page is
as large as one of a committed package (about 20 kB).
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from fcbench.core.cases import Case
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import Attempt, Candidate
from fcbench.core.names import CaseId, ToolName
from fcbench.core.verdicts import Verdict
from tests.site.sample_packages import (
    MORTGAGE,
    STATUS,
    broken_json,
    call_not_due,
    make_package,
    mortgage_case,
    no_call,
    passing,
    text_reply,
    wrong_tool,
    wrong_value,
)

CASES, REPEATS, TOOLS = 200, 5, 20
ATTEMPTS = CASES * REPEATS
"""Attempts of one run."""
Made = Callable[[Case, int], tuple[Attempt, list[Verdict]]]
_WHERE_A_CALL_IS_DUE: tuple[tuple[Made, int], ...] = (
    (passing, 50),
    (wrong_value, 25),
    (wrong_tool, 10),
    (no_call, 10),
    (broken_json, 5),
)
"""Kinds of attempts and their weights."""


def write_runs(folder: Path, runs: int) -> None:
    """Write so many packages below an empty folder; equal arguments give equal packages."""
    for number in range(runs):
        write_run(folder, number, seed=number)


def write_run(folder: Path, number: int, seed: int, cases: int = CASES) -> None:
    """Write one package, in place of one with the same number; another seed is another outcome of the same model.

    Args:
        folder: that holds the registries' folders.
        number: tells runs apart.
        seed: of the outcomes.
        cases: how many; the first of those that every run has.
    """
    run_id = f"20261130-model-{number:03d}"
    for known in folder.glob(f"*/{run_id}*"):
        _remove(known)
    make_package(
        folder,
        run_id,
        f"Example/Model-{number:03d}",
        _cases(cases),
        _attempts(random.Random(seed), cases),
        repeats=REPEATS,
        contracts=_contracts(),
    )


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def _cases(count: int) -> list[Case]:
    cases = []
    for number in range(count):
        # One case in ten asks for no call.
        case = mortgage_case(number, decision="no_call" if number % 10 == 9 else "call")
        tools = tuple(one.name for one in _contracts())
        cases.append(
            msgspec.structs.replace(
                case, task=msgspec.structs.replace(case.task, id=CaseId(f"synthetic-{number:04d}"), tools=tools)
            )
        )
    return cases


def _contracts() -> list[ToolContract]:
    others = [
        msgspec.structs.replace(STATUS, name=ToolName(f"vraag_gegeven_op_{number:02d}")) for number in range(TOOLS - 2)
    ]
    return [MORTGAGE, STATUS, *others]


def _attempts(draw: random.Random, cases: int) -> Iterator[tuple[Attempt, list[Verdict]]]:
    kinds, weights = zip(*_WHERE_A_CALL_IS_DUE, strict=True)
    candidates = tuple(
        Candidate(name=one.name, rank=rank, score=round(9.5 - rank / 3, 3))
        for rank, one in enumerate(_contracts(), start=1)
    )
    for case in _cases(cases):
        for repeat in range(1, REPEATS + 1):
            made: Made = draw.choices(kinds, weights)[0]
            if case.oracle.decision != "call":
                made = text_reply if draw.random() < 0.8 else call_not_due
            attempt, verdicts = made(case, repeat)
            # Two runs never take equally long, so that each record is its own.
            longer = attempt.duration_s + draw.random()
            yield msgspec.structs.replace(attempt, candidates=candidates, duration_s=longer), verdicts

from __future__ import annotations

import os
import subprocess
import sys

from tests.evaluator.verdict_digest import ROOT, lines


def test_three_hash_seeds_give_the_same_verdicts_to_the_byte() -> None:
    command = [sys.executable, "-m", "tests.evaluator.verdict_digest"]
    running = [
        subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for seed in ("0", "1", "2")
    ]
    told = [process.communicate() for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], told[0][1].decode()
    counts = {int(out.split()[0]) for out, _ in told}
    assert len({out for out, _ in told}) == 1
    assert len(counts) == 1
    assert counts.pop() > 500


def test_the_same_process_gives_the_same_verdicts_again() -> None:
    assert list(lines()) == list(lines())

"""The long version of what the other files draw a few hundred times: `python -m tests.benchmarks.known_truth`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from tests.benchmarks.known_truth import Line, boards, coverage, pairs, smallest

DRAWS = 1000
LEAST = {"interval": 91.0, "power": 76.0}
MOST = {"size": 7.0, "rank": 7.5}
"""In percent: what is promised, or for twenty families that are wholly alike 93, less three standard errors."""


def first_percentage(line: Line) -> float:
    return float(re.findall(r"([\d.]+) %", line[2])[0])


@pytest.mark.slow
@pytest.mark.parametrize("part", [coverage, pairs, boards, smallest])
def test_every_promise_is_kept(part: Callable[[int], Iterator[Line]]) -> None:
    for line in part(DRAWS):
        what, found = line[0], first_percentage(line)
        if what.startswith("interval"):
            assert found >= LEAST["interval"], line
        elif what == "good enough, size":
            assert found <= MOST["size"], line
        elif what.startswith("a rank interval"):
            assert found <= MOST["rank"] + 1.5, line
        elif what.startswith("power"):
            assert found >= LEAST["power"], line


def test_the_lines_of_the_long_version_can_be_read() -> None:
    lines = [line for part in (boards, smallest) for line in part(8)]
    assert len(lines) == 13
    assert all(0 <= first_percentage(line) <= 100 for line in lines)

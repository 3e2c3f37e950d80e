"""The summary of a fuzz run (test_fuzz.py): what all its calls came to, whatever process made them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Calls, error codes and the slowest tools, where a run made such calls."""
    found = list(_figures(terminalreporter))
    if not found:
        return
    codes: Counter[str] = Counter()
    worst: dict[str, tuple[float, str]] = {}
    for each in found:
        codes.update(each["codes"])
        tool = each["tool"]
        worst[tool] = max(worst.get(tool, (0.0, "")), (each["worst_s"], each["fixture"]))
    total, errors = sum(codes.values()), sum(codes.values()) - codes["ok"]
    terminalreporter.section("fuzz")
    terminalreporter.line(f"{total:,} calls of {len(worst)} tools: {codes['ok']:,} ok, {errors:,} coded errors")
    terminalreporter.line(", ".join(f"{code} {count:,}" for code, count in codes.most_common() if code != "ok"))
    for tool, (took, fixture) in sorted(worst.items(), key=lambda pair: -pair[1][0])[:10]:
        terminalreporter.line(f"{1000 * took:8.0f} ms of the processor  {tool} ({fixture})")


def _figures(terminalreporter: pytest.TerminalReporter) -> Iterator[dict[str, Any]]:
    reports = [each for kind in ("passed", "failed") for each in terminalreporter.stats.get(kind, ())]
    for report in reports:
        yield from (value for name, value in getattr(report, "user_properties", ()) if name == "fuzz")

"""Side by side: our way and the peer's in turn, in one process run, as ratios with median, minimum and maximum."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """Seconds of ours over seconds of the peer's, pair by pair."""

    name: str
    ours_s: tuple[float, ...]
    peer_s: tuple[float, ...]

    def line(self) -> str:
        """One line for a terminal or for docs/explanation/measurements.md."""
        ratios = [ours / peer for ours, peer in zip(self.ours_s, self.peer_s, strict=True)]
        return (
            f"{self.name}: ratio median {statistics.median(ratios):.2f} (minimum {min(ratios):.2f}, maximum "
            f"{max(ratios):.2f}) over {len(ratios)} pairs; ours median {statistics.median(self.ours_s):.3f} s, peer "
            f"{statistics.median(self.peer_s):.3f} s"
        )


def side_by_side(name: str, ours: Callable[[], object], peer: Callable[[], object], pairs: int) -> Ratio:
    """Run both in turn `pairs` times after one warm-up of each; the order alternates, so that drift hits both."""
    ours()
    peer()
    taken: dict[str, list[float]] = {"ours": [], "peer": []}
    for pair in range(pairs):
        order = [("ours", ours), ("peer", peer)]
        for label, work in order if pair % 2 == 0 else reversed(order):
            begun = time.perf_counter()
            work()
            taken[label].append(time.perf_counter() - begun)
    return Ratio(name, tuple(taken["ours"]), tuple(taken["peer"]))

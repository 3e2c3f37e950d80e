"""Suites of cases: load, check and count."""

from __future__ import annotations

from fcbench.suites.check import check
from fcbench.suites.golden import GoldenEntry, GoldenFile
from fcbench.suites.load import load_suites
from fcbench.suites.model import Collection, Place, Subset, Suite, Suites, Targets
from fcbench.suites.stats import Composition, composition, stats

__all__ = [
    "Collection",
    "Composition",
    "GoldenEntry",
    "GoldenFile",
    "Place",
    "Subset",
    "Suite",
    "Suites",
    "Targets",
    "check",
    "composition",
    "load_suites",
    "stats",
]

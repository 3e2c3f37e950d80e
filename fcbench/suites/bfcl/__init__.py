"""The single-turn data of the Berkeley Function Calling Leaderboard: reading it, and mapping it onto our records."""

from __future__ import annotations

from fcbench.suites.bfcl.attempts import attempt_of
from fcbench.suites.bfcl.cases import case_of, source_to_case
from fcbench.suites.bfcl.rows import COVERED, PairRow, SourceCase, read_pairs

__all__ = ["COVERED", "PairRow", "SourceCase", "attempt_of", "case_of", "read_pairs", "source_to_case"]

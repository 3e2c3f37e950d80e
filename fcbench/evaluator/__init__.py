"""The evaluator: from evidence to verdict. Pure: it imports `core` and `errors` only, and reads no file or clock."""

from fcbench.evaluator.conditions import CONDITIONS
from fcbench.evaluator.golden import golden_attempt
from fcbench.evaluator.judge import EVALUATOR_VERSION, applicable_tiers, judge
from fcbench.evaluator.mutations import EXPECTED, OPERATORS, REASONS, mutations, wrong_reason

__all__ = [
    "CONDITIONS",
    "EVALUATOR_VERSION",
    "EXPECTED",
    "OPERATORS",
    "REASONS",
    "applicable_tiers",
    "golden_attempt",
    "judge",
    "mutations",
    "wrong_reason",
]

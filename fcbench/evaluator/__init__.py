"""The evaluator: from evidence to verdict. Pure: it imports `core` and `errors` only, and reads no file or clock."""

from fcbench.evaluator.conditions import CONDITIONS
from fcbench.evaluator.golden import golden_attempt
from fcbench.evaluator.judge import EVALUATOR_VERSION, applicable_tiers, judge
from fcbench.evaluator.mend_apply import Bench
from fcbench.evaluator.mend_edits import Edit
from fcbench.evaluator.mending import Mending, would_pass_if
from fcbench.evaluator.mutations import EXPECTED, OPERATORS, REASONS, mutations, wrong_reason

__all__ = [
    "CONDITIONS",
    "EVALUATOR_VERSION",
    "EXPECTED",
    "OPERATORS",
    "REASONS",
    "Bench",
    "Edit",
    "Mending",
    "applicable_tiers",
    "golden_attempt",
    "judge",
    "mutations",
    "would_pass_if",
    "wrong_reason",
]

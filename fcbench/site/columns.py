"""The columns of the boards' tables: what each is called, what it counts, and how it is written."""

from __future__ import annotations

from fcbench.core.records import Record


class Column(Record, frozen=True, kw_only=True):
    """One column of the tables."""

    name: str
    """Name in `fcbench.aggregate.tables.BOARD_SCHEMA`."""
    title: str
    help: str
    """What the number is, in one clause."""
    group: str
    """Columns of one group stand together, apart from the others."""
    unit: str = "rate"
    """`rate`, `share` (a mean of shares), `seconds`, `count` or `money`."""
    counted: str = ""
    """Column with the number of attempts behind a plain number."""
    ascending: bool = False
    """Whether less is better, so that the first press of its title puts the least on top."""


CALLS, RESTRAINT, DIMENSIONS, DIAGNOSIS, EFFORT = "Calls", "Restraint", "Four dimensions", "Diagnosis only", "Effort"


def _column(name: str, title: str, meaning: str, group: str, unit: str = "rate") -> Column:
    return Column(name=name, title=title, help=meaning, group=group, unit=unit)


COLUMNS = (
    _column("strict", "Strict accuracy", "mean over call cases of the share of passing repeats", CALLS),
    _column(
        "recovered",
        "With recovery",
        "strict accuracy, also counting a rejected invalid call that was followed by a right one",
        CALLS,
    ),
    _column("offered", "Tools offered", "strict accuracy where retrieval offered every expected tool", CALLS),
    _column("exact_match", "Exact match", "conformance, fidelity and restraint of the call together", CALLS),
    _column("pass_hat_3", "pass^3", "the chance that three repeats of a case all pass", CALLS),
    _column("pass_hat_5", "pass^5", "the chance that five repeats of a case all pass", CALLS),
    _column("restraint_accuracy", "Restraint accuracy", "cases where no call is due", RESTRAINT),
    _column("syntactic_validity", "Syntax", "the arguments are one JSON object", DIMENSIONS),
    _column("schema_conformance", "Schema", "the arguments validate; no call counts as not conforming", DIMENSIONS),
    _column("argument_fidelity", "Fidelity", "the values are those of the instruction", DIMENSIONS),
    _column("restraint", "Restraint", "nothing that the instruction does not support", DIMENSIONS),
    _column("partial", "Partial score", "average partial score; it decides nothing", DIAGNOSIS, "share"),
    _column("tool_coverage", "Tool coverage", "share of expected calls matched", DIAGNOSIS, "share"),
    _column("retrieval_recall", "Retrieval recall", "share of expected tools among the candidates", DIAGNOSIS, "share"),
    _column("completion", "Completion", "share of planned attempts with a scorable outcome", EFFORT),
    Column(
        name="cost_per_success",
        title="Cost per success",
        help="cost of all attempts of call cases over those that passed, where the price is known",
        group=EFFORT,
        unit="money",
        counted="cost_n",
        ascending=True,
    ),
    Column(
        name="latency_p50_s",
        title="Latency p50",
        help="half of the attempts took at most so long",
        group=EFFORT,
        unit="seconds",
        counted="completion_sum",
        ascending=True,
    ),
    Column(
        name="latency_p95_s",
        title="Latency p95",
        help="95 % of the attempts took at most so long",
        group=EFFORT,
        unit="seconds",
        counted="completion_sum",
        ascending=True,
    ),
    Column(
        name="input_tokens",
        title="Tokens in",
        help="sum over attempts whose provider counted them",
        group=EFFORT,
        unit="count",
        counted="tokens_known_n",
        ascending=True,
    ),
    Column(
        name="output_tokens",
        title="Tokens out",
        help="sum over attempts whose provider counted them",
        group=EFFORT,
        unit="count",
        counted="tokens_known_n",
        ascending=True,
    ),
)
"""In the order of the table. A column that no row of a board has a number for is left out there."""

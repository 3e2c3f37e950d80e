"""The columns of a board's table for people: few at a time, in groups that together show every number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from fcbench.workflows.text_tables import percent

Group = Literal["summary", "accuracy", "dimensions", "repeats", "tools", "cost", "run"]
Row = dict[str, object]


@dataclass(frozen=True)
class Column:
    """One column: its head, and the text of its cell."""

    head: str
    cell: Callable[[Row], str]
    shown: Callable[[Sequence[Row]], bool] = lambda _: True
    """Whether it says anything about these rows."""


def columns_of(group: Group, rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Heads and cells of a group, without columns that have nothing to say about these rows.

    Args:
        group: which numbers.
        rows: of `tables.board_table`.
    """
    columns = [column for column in (*_WHO, *GROUPS[group]) if column.shown(rows)]
    return [column.head for column in columns], [[column.cell(row) for column in columns] for row in rows]


def rank(row: Row) -> str:
    """The rank with the places that a run may have, or why there is none."""
    if row["control"]:
        return "control"
    if row["rank"] is None:
        return "not ranked"
    low, high = row["rank_low"], row["rank_high"]
    return f"{row['rank']}" if low == high else f"{row['rank']} ({low} to {high})"


def model(row: Row) -> str:
    """The model, and which of its runs where there are several."""
    name, runs = str(row["model"]), row["model_runs"]
    if not isinstance(runs, int) or runs < 2:
        return name
    return f"{name} (run {row['model_run']} of {runs}, {str(row['created_at'])[:10]})"


def interval(row: Row, name: str) -> str:
    """A rate with its interval."""
    if row[name] is None:
        return "-"
    return f"{percent(row[name])} ({percent(row[f'{name}_low'])} to {percent(row[f'{name}_high'])})"


def bootstrapped(row: Row) -> str:
    """The second interval of strict accuracy, where it was asked for."""
    if row.get("strict_boot_low") is None:
        return "-"
    return f"{percent(row['strict_boot_low'])} to {percent(row['strict_boot_high'])}"


def out_of(row: Row, name: str) -> str:
    """Numerator and denominator."""
    total, count = row[f"{name}_sum"], row[f"{name}_n"]
    if not count or not isinstance(total, float | int):
        return "-"
    return f"{round(total, 2):g} of {count}"


def share(row: Row, name: str) -> str:
    """A rate with numerator and denominator."""
    return f"{percent(row[name])} ({out_of(row, name)})" if row[f"{name}_n"] else "-"


def number(value: object, digits: int = 1) -> str:
    """A number with so many digits after the point; a hyphen where there is none."""
    return f"{value:,.{digits}f}" if isinstance(value, float | int) else "-"


def _mean(name: str) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        count = row[f"{name}_n"]
        return f"{number(row[name], 2)} ({number(row[f'{name}_sum'], 0)} in {count})" if count else "-"

    return cell


def _share(name: str) -> Callable[[Row], str]:
    return lambda row: share(row, name)


def _text(name: str) -> Callable[[Row], str]:
    return lambda row: str(row[name])


def _bounds(name: str) -> Callable[[Row], str]:
    return lambda row: f"{percent(row[f'{name}_worst'])} to {percent(row[f'{name}_best'])}"


def _known(name: str) -> Callable[[Row], str]:
    return lambda row: "unknown" if row[name] is None else number(row[name], 0)


def _money(row: Row, name: str) -> str:
    value = row[name]
    return f"{value:.6g} {row['cost_currency']}" if isinstance(value, float) else "unknown"


def _a_success(told: Callable[[Row], str]) -> Callable[[Row], str]:
    return lambda row: told(row) if row["strict_attempts_passed"] else "no success"


def _tokens(row: Row) -> str:
    if row["input_tokens"] is None:
        return "unknown"
    return f"{row['input_tokens']}/{row['output_tokens']}"


def _ranks(row: Row) -> str:
    if not row["worst_rank_n"]:
        return "-"
    return f"{row['worst_rank_p50']:g} / {row['worst_rank_p95']:g} (n {row['worst_rank_n']})"


def _any(name: str) -> Callable[[Sequence[Row]], bool]:
    return lambda rows: any(row[name] for row in rows)


def _is_incomplete(rows: Sequence[Row]) -> bool:
    return not all(row["complete"] for row in rows)


def _repeats(k: int) -> tuple[Column, Column]:
    return (
        Column(f"pass^{k}", _share(f"pass_hat_{k}"), _any(f"pass_hat_{k}_n")),
        Column(f"pass@{k}", _share(f"pass_at_{k}"), _any(f"pass_at_{k}_n")),
    )


_WHO = (Column("rank", rank), Column("model", model))
_BOOTSTRAP = Column(
    "by bootstrap", bootstrapped, lambda rows: any(row.get("strict_boot_low") is not None for row in rows)
)
_BOUNDS = Column("strict if all else failed / passed", _bounds("strict"), _is_incomplete)
GROUPS: dict[Group, tuple[Column, ...]] = {
    "summary": (
        Column("strict accuracy (95 %)", lambda row: interval(row, "strict")),
        _BOOTSTRAP,
        Column("calls n", _text("strict_n")),
        _BOUNDS,
        Column("restraint", lambda row: out_of(row, "restraint_accuracy")),
        Column("recovered", lambda row: percent(row["recovered"])),
        Column("complete", lambda row: out_of(row, "completion")),
        Column("exact", lambda row: percent(row["exact_match"])),
        Column("pass^3", lambda row: percent(row["pass_hat_3"]), _any("pass_hat_3_n")),
        Column("partial", lambda row: percent(row["partial"])),
        Column("p50 s", lambda row: number(row["latency_p50_s"])),
        Column("cost a success", _a_success(lambda row: _money(row, "cost_per_success")), _any("cost_currency")),
        Column(
            "tokens in/out",
            lambda row: (
                f"{row['input_tokens']}/{row['output_tokens']}" if row["input_tokens"] is not None else "unknown"
            ),
        ),
    ),
    "accuracy": (
        Column("strict accuracy (95 %)", lambda row: interval(row, "strict")),
        _BOOTSTRAP,
        Column("passes", lambda row: out_of(row, "strict")),
        Column("attempts passed", lambda row: f"{row['strict_attempts_passed']} of {row['strict_attempts']}"),
        _BOUNDS,
        Column("restraint (95 %)", lambda row: interval(row, "restraint_accuracy")),
        Column("restraint passes", lambda row: out_of(row, "restraint_accuracy")),
        Column("restraint if all else failed / passed", _bounds("restraint"), _is_incomplete),
        Column("passed with recovery", _share("recovered")),
        Column("of attempts with a refused call, recovered", _share("recovery")),
        Column("where all tools were offered", _share("offered")),
        Column("average partial", _share("partial")),
        Column("smallest difference to be seen", lambda row: percent(row["detectable"]), _any("detectable")),
        Column("note", _text("strict_note")),
    ),
    "dimensions": (
        Column("syntactic validity", _share("syntactic_validity")),
        Column("schema conformance", _share("schema_conformance")),
        Column("argument fidelity", _share("argument_fidelity")),
        Column("restraint in calls", _share("restraint")),
        Column("exact match", _share("exact_match")),
        Column("conforming after 1 error", _share("conforming_after_1"), _any("conforming_after_1_n")),
        Column("conforming after 2 errors", _share("conforming_after_2"), _any("conforming_after_2_n")),
    ),
    "repeats": (
        Column("repeats", _text("repeats")),
        Column("flip rate", _share("flip_rate")),
        *_repeats(2),
        *_repeats(3),
        *_repeats(5),
    ),
    "tools": (
        Column("tool coverage", _share("tool_coverage")),
        Column("retrieval recall", _share("retrieval_recall")),
        Column("worst rank p50 / p95", _ranks, _any("worst_rank_n")),
        Column("calls an attempt", _mean("calls")),
        Column("beyond the expected", _mean("over_calls")),
        Column("duplicates", _mean("duplicate_calls")),
        Column("calls where none is due", _mean("restraint_calls")),
        Column("rounds", _mean("rounds")),
    ),
    "cost": (
        Column("p50 s", lambda row: number(row["latency_p50_s"])),
        Column("p95 s", lambda row: number(row["latency_p95_s"])),
        Column("tokens in", _known("input_tokens")),
        Column("of them cached", _known("cached_input_tokens")),
        Column("tokens out", _known("output_tokens")),
        Column("attempts counted", _text("tokens_known_n")),
        Column("tokens a success", _a_success(_known("tokens_per_success"))),
        Column("cost", lambda row: _money(row, "cost")),
        Column("attempts in it", _text("cost_n")),
        Column("cost a success", _a_success(lambda row: _money(row, "cost_per_success"))),
    ),
    "run": (
        Column("run", _text("run_id")),
        Column("made", _text("created_at")),
        Column("purpose", _text("purpose")),
        Column("provider", _text("provider")),
        Column("complete", lambda row: share(row, "completion")),
        Column("cases", lambda row: f"{row['cases_applicable']} of {row['cases_planned']}"),
        Column("assistance", _text("harness_assistance")),
        Column("badges", lambda row: "; ".join(map(str, row["badges"])) if isinstance(row["badges"], list) else ""),
        Column("package", _text("package")),
    ),
}
"""What each group shows beside rank and model."""

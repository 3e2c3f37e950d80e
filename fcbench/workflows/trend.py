"""Runs over time: how scores of each model moved on each board, and where a later run does worse (PROTOCOL 7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from fcbench.aggregate.boards import boards
from fcbench.aggregate.frames import Frame, verdict_frame
from fcbench.aggregate.trend import FELL, NONE, family_of, regressions, trend_table
from fcbench.core.boards import BoardKey
from fcbench.core.names import Tier
from fcbench.core.records import Record, to_plain
from fcbench.errors import UsageError
from fcbench.packages.files import write_error
from fcbench.workflows.board_columns import Row, interval, number, out_of
from fcbench.workflows.boards import scored_below
from fcbench.workflows.frame_files import TABLE_FORMS, write_frame
from fcbench.workflows.markdown_tables import bullets, heading, markdown_table
from fcbench.workflows.text_tables import aligned, percent

Form = Literal["text", "csv", "parquet", "json", "markdown"]
SHOWN = 20
"""Cases of one pair of runs that a terminal names."""
_QUANTILES = ("score_p10", "score_p25", "score_p50", "score_p75", "score_p90")


class TrendRequest(Record, frozen=True, kw_only=True):
    """What is asked of a folder of packages."""

    collection: str | None = None
    tier: str | None = None
    model: str | None = None
    """Only runs of this model, by its whole name. Tests are corrected over the whole board all the same."""


@dataclass(frozen=True)
class BoardTrend:
    """One board: its runs, and each run beside the one before it."""

    key: BoardKey
    runs: Frame
    regressions: Frame

    @property
    def family(self) -> str:
        """What it shares with boards of other cases, tools or evaluators."""
        return family_of(self.key)


@dataclass(frozen=True)
class Trends:
    """Every board that was asked for, those of a family after each other."""

    boards: Sequence[BoardTrend]

    def text(self) -> str:
        """For a terminal."""
        return "\n\n".join("\n".join(_lines(one)) for one in self.boards)

    def markdown(self) -> str:
        """As Markdown."""
        return "\n".join("\n".join(_markdown(one)) + "\n" for one in self.boards)

    def data(self) -> object:
        """As plain JSON values."""
        return [
            {
                "family": one.family,
                "board": to_plain(one.key),
                "runs": one.runs.to_dicts(),
                "regressions": one.regressions.to_dicts(),
            }
            for one in self.boards
        ]

    def write(self, folder: Path, form: Form) -> list[Path]:
        """Write the runs and the regressions of each board into a folder.

        Raises:
            WriteError: the folder cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return [path for one in self.boards for path in _write(folder, one, form)]
        except OSError as error:
            raise write_error(folder, error) from error


def trend(runs: Path, request: TrendRequest) -> Trends:
    """The runs of every board below a folder over time. Boards that differ are never joined.

    Raises:
        UsageError: no board or no model fits.
        NotFoundError: the folder does not exist.
        PackageError: it holds no sealed package, or one is damaged.
    """
    if request.tier is not None and request.tier not in get_args(Tier):
        raise UsageError(
            "there is no such tier", wanted=", ".join(get_args(Tier)), found=request.tier[:80], where="--tier"
        )
    found = boards(verdict_frame(scored_below(runs)))
    kept = [_board(key, frame, request.model) for key, frame in found.items() if _fits(key, request)]
    told = [one for one in kept if one.runs.height]
    if not told:
        known = sorted({f"{key.run.collection} at {key.tier}" for key in found})
        raise UsageError(
            "no run fits",
            wanted=f"a model with runs on a board that is there: {'; '.join(known) or 'there is none'}",
            found=", ".join(part for part in (request.collection, request.tier, request.model) if part) or "no choice",
            where=str(runs),
            next_step="leave out --collection, --tier and --model to see every run",
        )
    return Trends(sorted(told, key=lambda one: (one.family, one.runs["created_at"].min() or "", one.key.slug)))


def _fits(key: BoardKey, request: TrendRequest) -> bool:
    return request.collection in (None, key.run.collection) and request.tier in (None, key.tier)


def _board(key: BoardKey, frame: Frame, model: str | None) -> BoardTrend:
    runs, falls = trend_table(frame), regressions(frame)
    if model is not None:
        runs, falls = runs.filter(runs["model"] == model), falls.filter(falls["model"] == model)
    return BoardTrend(key, runs, falls)


def _about(one: BoardTrend) -> list[str]:
    key = one.key
    return [
        one.family,
        f"cases {key.run.task_hash[:12]}, registry {key.run.registry_hash[:12]}, prompt {key.run.prompt_hash[:12]}, "
        f"oracle {key.oracle_hash[:12]}, evaluator {key.evaluator_version}",
    ]


def _lines(one: BoardTrend) -> Iterator[str]:
    first, second = _about(one)
    yield first
    yield f"  {second}"
    yield from aligned(*_run_cells(one.runs.to_dicts()))
    rows = one.regressions.to_dicts()
    if not rows:
        yield "  no model has two runs here, so nothing can have fallen"
        return
    yield "  each run beside the one before it:"
    yield from aligned(*_pair_cells(rows))
    for row in rows:
        if row["finding"] != NONE:
            yield f"  {_finding(row)}"


def _markdown(one: BoardTrend) -> Iterator[str]:
    first, second = _about(one)
    yield heading(2, first)
    yield ""
    yield from bullets([second])
    yield ""
    yield from markdown_table(*_run_cells(one.runs.to_dicts()))
    rows = one.regressions.to_dicts()
    if rows:
        yield ""
        yield from markdown_table(*_pair_cells(rows))
        yield ""
        yield from bullets(_finding(row, len(row["lost"])) for row in rows if row["finding"] != NONE)


def _run_cells(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    header = ["model", "run", "made", "strict accuracy (95 %)", "calls n", "restraint", "complete"]
    return [*header, "partial score: p10, p25, p50, p75, p90", "badges"], [
        [
            str(row["model"]),
            f"{row['model_run']} of {row['model_runs']}",
            str(row["created_at"])[:16].replace("T", " "),
            interval(row, "strict"),
            str(row["strict_n"]),
            out_of(row, "restraint_accuracy"),
            percent(row["completion"]),
            "  ".join(number(row[name], 2) for name in _QUANTILES),
            "; ".join(row["badges"]) if isinstance(row["badges"], list) else "",
        ]
        for row in rows
    ]


def _pair_cells(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    header = ["model", "from", "to", "cases", "n", "before", "after", "lost", "gained", "p", "p (Holm)", "finding"]
    return header, [
        [
            str(row["model"]),
            str(row["first_at"])[:16].replace("T", " "),
            str(row["second_at"])[:16].replace("T", " "),
            str(row["decision"]),
            str(row["cases"]),
            percent(row["first_rate"]),
            percent(row["second_rate"]),
            _count(row["lost"]),
            _count(row["gained"]),
            _chance(row["p"]),
            _chance(row["p_holm"]),
            str(row["finding"]),
        ]
        for row in rows
    ]


def _chance(p: object) -> str:
    return "below 0.0001" if isinstance(p, float) and p < 0.0001 else number(p, 4)


def _count(cases: object) -> str:
    return str(len(cases)) if isinstance(cases, list) else "0"


def _finding(row: Row, shown: int = SHOWN) -> str:
    lost = row["lost"] if isinstance(row["lost"], list) else []
    named = ", ".join(lost[:shown]) + (f" and {len(lost) - shown} more" if len(lost) > shown else "")
    changed = [f"-{badge}" for badge in _list(row["badges_gone"])] + [f"+{badge}" for badge in _list(row["badges_new"])]
    settings = f"; settings changed: {', '.join(changed)}" if changed else ""
    word = "a significant fall" if row["finding"] == FELL else "no significant fall"
    return (
        f"{row['model']}, {row['second_run']}: {word} of {row['decision']} cases ({row['test']}); "
        f"passed before and never now: {named or 'none'}{settings}"
    )


def _list(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _write(folder: Path, one: BoardTrend, form: Form) -> Iterator[Path]:
    table = TABLE_FORMS.get(form)
    if table:
        for name, frame in (("trend", one.runs), ("regressions", one.regressions)):
            yield write_frame(frame, folder / f"{one.key.slug}-{name}", table)
        return
    path = folder / f"{one.key.slug}-trend.{'txt' if form == 'text' else 'md'}"
    path.write_text("\n".join(_lines(one) if form == "text" else _markdown(one)) + "\n", encoding="utf-8")
    yield path

"""The same tables by hand in pandas, one package at a time, as someone writes them who knows pandas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from tests.benchmarks.aggregate_by_hand import MEANS, SEGMENTS, SHARES


def with_pandas(paths: Sequence[Path]) -> dict[str, pd.DataFrame]:
    """All tables, one package at a time: all rows at once would not fit."""
    parts: dict[str, list[pd.DataFrame]] = {}
    for path in paths:
        for name, table in _of_one(pd.read_parquet(path, columns=_columns())).items():
            parts.setdefault(name, []).append(table)
    return {name: pd.concat(tables) for name, tables in parts.items()}


def _columns() -> list[str]:
    return [
        *("run_id", "model", "task_id", "repeat", "decision", "traps", "fault_kinds", "conforming_replies"),
        *(*SEGMENTS, *MEANS.values(), "expected_tools_offered", *SHARES, "single_call"),
        *("duration_s", "input_tokens", "output_tokens"),
    ]


def _of_one(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    rows["run_id"] = rows["run_id"].astype(str)
    judged = rows["passed"].notna()
    kept = rows[judged].copy()
    for name in ("passed", "passed_with_recovery", "expected_tools_offered", *SHARES):
        kept[name] = kept[name].astype(float)
    kept["offered"] = kept["passed"].where(kept["expected_tools_offered"] == 1)
    grouped = kept.groupby("task_id", sort=False)
    cases = grouped[[*MEANS.values(), "offered"]].mean()
    spread = grouped["passed"].agg(["min", "max", "count", "sum"])
    cases["flips"] = (spread["min"] != spread["max"]).where(spread["count"] > 1)
    labels = rows.drop_duplicates("task_id").set_index("task_id")
    cases = cases.join(labels[["run_id", "decision", *SEGMENTS, "traps"]], how="right")
    cases["rows"] = rows.groupby("task_id", sort=False).size()
    cases["worst"] = spread["sum"] / cases["rows"]
    cases["best"] = (spread["sum"] + cases["rows"] - spread["count"]) / cases["rows"]
    tables = {"board": _pandas_board(cases, kept, len(rows))}
    for name in SEGMENTS:
        tables[name] = _pandas_segment(cases, name)
    tables["trap"] = _pandas_segment(cases.explode("traps"), "traps")
    shown = kept[["run_id", "task_id", "repeat", "fault_kinds"]].explode("fault_kinds").dropna()
    by_kind = shown.groupby(["run_id", "fault_kinds"], observed=True)
    tables["fault"] = by_kind.agg(faults=("repeat", "size"), cases=("task_id", "nunique"))
    attempts = shown.drop_duplicates(["run_id", "task_id", "repeat", "fault_kinds"])
    tables["fault"]["attempts"] = attempts.groupby(["run_id", "fault_kinds"], observed=True).size()
    return tables


def _pandas_board(cases: pd.DataFrame, kept: pd.DataFrame, count: int) -> pd.DataFrame:
    calls, others = cases[cases["decision"] == "call"], cases[cases["decision"] != "call"]
    due = kept[kept["decision"] == "call"]
    single = due[due["single_call"]]
    row = {
        "run_id": cases["run_id"].iloc[0],
        **{f"{name}_sum": calls[column].sum() for name, column in MEANS.items()},
        **{f"{name}_n": calls[column].count() for name, column in MEANS.items()},
        "offered": calls["offered"].mean(),
        "restraint_accuracy": others["passed"].mean(),
        "flip_rate": calls["flips"].astype(float).mean(),
        "strict_worst": calls["worst"].mean(),
        "strict_best": calls["best"].mean(),
        **{f"{name}_sum": due[name].sum() for name in SHARES},
        "after_1": single["conforming_replies"].map(lambda replies: any(replies[:2])).sum(),
        "after_2": single["conforming_replies"].map(lambda replies: any(replies[:3])).sum(),
        "latency_p50_s": kept["duration_s"].quantile(0.5),
        "latency_p95_s": kept["duration_s"].quantile(0.95),
        "input_tokens": kept["input_tokens"].sum(),
        "output_tokens": kept["output_tokens"].sum(),
        "completion": len(kept) / count,
    }
    return pd.DataFrame([row])


def _pandas_segment(cases: pd.DataFrame, name: str) -> pd.DataFrame:
    call = cases["decision"] == "call"
    split = cases.assign(
        strict=cases["passed"].where(call),
        restraint_accuracy=cases["passed"].where(~call),
        partial=cases["partial_score"].where(call),
    )
    by_segment = split.groupby(["run_id", name], observed=True, dropna=False)
    return by_segment[["strict", "restraint_accuracy", "partial"]].agg(["sum", "count"])

"""What a run cost and what a success cost, from counted tokens and a dated price file. Unknown is null, never 0."""

from __future__ import annotations

import datetime as dt

import polars as pl

from fcbench.engine.prices import PriceList, example_prices

COST_SCHEMA = pl.Schema(
    {
        "cost": pl.Float64(),
        "cost_n": pl.Int64(),
        "cost_per_success": pl.Float64(),
        "cost_currency": pl.String(),
        "tokens_per_success": pl.Float64(),
    }
)
_MILLION = 1_000_000


def paid_sums(judged: pl.Expr, due: pl.Expr) -> list[pl.Expr]:
    """What `with_costs` needs of the attempts of a run, over those whose provider counted both directions.

    Args:
        judged: which attempts have a verdict.
        due: which of them are of call cases.
    """
    known = judged & pl.col("input_tokens").is_not_null() & pl.col("output_tokens").is_not_null()
    read = pl.col("input_tokens")
    cached = pl.min_horizontal(pl.col("cached_input_tokens").fill_null(0).clip(0), read)
    parts = {"input": read - cached, "cached": cached, "output": pl.col("output_tokens")}
    sums = [known.sum().cast(pl.Int64).alias("cost_n")]
    for scope, rows in (("all", known), ("due", known & due)):
        sums += [
            pl.when(rows).then(value).otherwise(0).sum().cast(pl.Float64).alias(f"_{scope}_{name}")
            for name, value in parts.items()
        ]
    return [*sums, (known & due & pl.col("passed")).sum().cast(pl.Int64).alias("_due_passed")]


def with_costs(rows: pl.DataFrame, prices: PriceList | None) -> pl.DataFrame:
    """Adds the columns of `COST_SCHEMA` to rows of runs with the sums of `paid_sums`.

    The price is that of the run's provider and model on the day when it was made. `cost` is over all judged attempts
    whose tokens are known, `cost_n` of them. `cost_per_success` is the cost of the attempts of call cases, failed ones
    too, over those of them that passed; null where none passed.
    """
    runs = rows.select("provider", "model", "created_at").iter_rows()
    told = [_priced(f"{provider}:{model}", made, prices) for provider, model, made in runs]
    kinds = {"_in": pl.Float64(), "_cached": pl.Float64(), "_out": pl.Float64(), "cost_currency": pl.String()}
    priced = rows.hstack(pl.DataFrame(told, schema=kinds, orient="row"))
    won = pl.when(pl.col("_due_passed") > 0).then(pl.col("_due_passed"))
    tokens = pl.sum_horizontal(f"_due_{name}" for name in ("input", "cached", "output"))
    return priced.with_columns(
        pl.when(pl.col("cost_n") > 0).then(_money("all")).alias("cost"),
        (_money("due") / won).alias("cost_per_success"),
        (tokens / won).alias("tokens_per_success"),
    )


def _money(scope: str) -> pl.Expr:
    parts = (("input", "_in"), ("cached", "_cached"), ("output", "_out"))
    first, *others = (pl.col(f"_{scope}_{name}") * pl.col(price) for name, price in parts)
    return sum(others, start=first) / _MILLION


def _priced(
    model: str, made: object, prices: PriceList | None
) -> tuple[float | None, float | None, float | None, str | None]:
    """Prices of input, cached input and output for a million tokens, and their currency; as `prices.price_of` finds."""
    for listed in (prices, example_prices()):
        price = listed.price_of(model, _day(made)) if listed else None
        if listed and price:
            cached = price.input if price.cached_input is None else price.cached_input
            return price.input, cached, price.output, listed.currency
    return None, None, None, None


def _day(made: object) -> dt.date | None:
    try:
        return dt.date.fromisoformat(str(made)[:10])
    except ValueError:
        return None


__all__ = ["COST_SCHEMA", "paid_sums", "with_costs"]

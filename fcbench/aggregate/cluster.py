"""Which cases are not independent of each other."""

from __future__ import annotations

import polars as pl

FAMILIES = {"family": "family", "pair": "pair"}
"""Labels that make cases a family, the first that is written on a case counts -> the word before its value.

`family` is written by a suite's author for cases that vary one situation. `pair` joins twins in two languages: on one
board they stand only where a collection holds both. Neither the fixture nor the function asked for makes a family: a
collection has few of them, every run meets the same ones, and a claim is about them and not about others like them.
"""


def family_of(frame: pl.DataFrame) -> pl.Expr:
    """The family of each row's case, as text; null where the case stands for itself.

    Args:
        frame: rows of `frames.FRAME_SCHEMA`. Where nobody wrote such a label, no text is made of ten million rows.
    """
    written = {name: word for name, word in FAMILIES.items() if frame[name].null_count() < frame.height}
    named = [pl.lit(f"{word} ") + pl.col(name).cast(pl.String) for name, word in written.items()]
    return pl.coalesce(*named) if named else pl.lit(None, pl.String)

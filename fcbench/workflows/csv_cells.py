"""CSV that a spreadsheet shows and does not carry out: a model's text may begin like a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from fcbench.core.canonical import clean_text
from fcbench.errors import BadInputError, NotFoundError

FORMULA: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "|", "%", "'")
"""A cell that begins so is given an apostrophe; the wide forms are read as the narrow ones by some programs."""
MAX_CELL: Final = 32_000
"""Letters of a cell; spreadsheets stop at 32,767."""
MAX_FILE: Final = 64 * 1024 * 1024
CUT: Final = " [... cut: the whole text stands in the session]"


def safe_cell(text: str) -> str:
    """A text as a cell that is no formula, holds no control characters, and fits."""
    clean = "".join(map(_visible, clean_text(text).replace("\r\n", "\n").replace("\r", "\n")))
    cell = f"'{clean}" if clean.lstrip().startswith(FORMULA) or clean[:1].isspace() else clean
    return cell if len(cell) <= MAX_CELL else cell[:MAX_CELL] + CUT


def read_cell(cell: str) -> str:
    """A cell as it was before `safe_cell`, as far as it was not cut."""
    inner = cell.removeprefix("'")
    return inner if cell != inner and (inner.lstrip().startswith(FORMULA) or inner[:1].isspace()) else cell


def _visible(letter: str) -> str:
    return letter if letter.isprintable() or letter == "\n" else "    " if letter == "\t" else f"\\u{ord(letter):04x}"


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV (RFC 4180), every text made safe; None is an empty cell, a number stays a number."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return stream.getvalue()


def read_csv(path: Path, header: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """The rows of a CSV file with their lines; comma, semicolon or tab between cells, as spreadsheets write them.

    Raises:
        NotFoundError: the file cannot be read.
        BadInputError: it is too large, no UTF-8, or lacks a column.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_FILE + 1)
    except OSError as error:
        raise NotFoundError("the file cannot be read", found=error.strerror, where=str(path)) from error
    if len(raw) > MAX_FILE:
        raise BadInputError("the file is too large", wanted=f"at most {MAX_FILE:,} bytes", where=str(path))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(
            "the file is not UTF-8", where=str(path), next_step="save it as CSV UTF-8 in the spreadsheet"
        ) from error
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restkey="more", restval="")
    missing = [name for name in header if name not in (reader.fieldnames or ())]
    if missing:
        raise BadInputError(
            "a column is missing", wanted=", ".join(header), found=f"no {', '.join(missing)}", where=f"{path}:1"
        )
    try:
        return [(reader.line_num, {name: row[name] for name in header}) for row in reader]
    except csv.Error as error:
        raise BadInputError("the file is no CSV", found=str(error), where=f"{path}:{reader.line_num}") from error


__all__ = ["csv_text", "read_cell", "read_csv", "safe_cell"]

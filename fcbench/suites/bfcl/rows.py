"""Rows of the Berkeley Function Calling Leaderboard, read strictly: source cases and pairs with a verdict."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path

from fcbench.core.canonical import parse_json
from fcbench.core.names import JsonObject, JsonValue
from fcbench.core.records import Record
from fcbench.errors import BadInputError, NotFoundError

MAX_FILE_BYTES = 1 << 30
"""Bytes of a file, unpacked, that are read."""
MAX_LINE_BYTES = 16 * 1024 * 1024
RELEVANCE = ("live_relevance", "relevance")
IRRELEVANCE = ("live_irrelevance", "irrelevance")
CALLING = (
    *("simple_python", "live_simple", "multiple", "live_multiple"),
    *("parallel", "live_parallel", "parallel_multiple", "live_parallel_multiple"),
)
COVERED = (*CALLING, *RELEVANCE, *IRRELEVANCE)
"""Categories that are imported; every other one is counted as not covered."""


class SourceCase(Record, frozen=True, kw_only=True):
    """One case of the source as it stands there."""

    id: str
    category: str
    question: tuple[JsonObject, ...]
    """The messages of its only turn."""
    functions: tuple[JsonObject, ...]
    answers: tuple[JsonObject, ...] | None
    """For each expected call `{name: {argument: accepted values}}`; None where the decision is the answer."""

    @property
    def key(self) -> str:
        """The whole case as JSON, in the order in which it is written."""
        answers = None if self.answers is None else list(self.answers)
        parts = [self.id, self.category, list(self.question), list(self.functions), answers]
        return json.dumps(parts, ensure_ascii=False)


class PairRow(Record, frozen=True, kw_only=True):
    """One attempt at a source case, with what the source's own checker said of it."""

    id: str
    source: SourceCase
    language: str
    perturbation: str
    """How the attempt was made from the perfect answer: a label, never read by a verdict."""
    calls: tuple[JsonObject, ...] | None
    """Each `{name: arguments}`; None where the attempt is text only."""
    text: str
    valid: bool
    """The verdict of the source's checker."""
    reason: str | None = None
    """Its error type."""

    @property
    def covered(self) -> bool:
        """Whether the row is within what the two evaluators can be compared on."""
        return self.language == "python" and self.source.category in COVERED


def read_pairs(path: Path) -> Iterator[PairRow]:
    """Every row of a pairs file (`*.jsonl` or `*.jsonl.gz`), in order.

    Raises:
        NotFoundError: the file cannot be read.
        BadInputError: a line is no pair; the message names it.
    """
    for number, value in json_lines(path):
        yield _pair(value, f"{path.name}:{number}")


def json_lines(path: Path) -> Iterator[tuple[int, JsonObject]]:
    """Each line of a file with its number, from 1, as one JSON object.

    Raises:
        NotFoundError: the file cannot be read.
        BadInputError: it is damaged, too large, or a line is not one JSON object.
    """
    try:
        total = 0
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
            for number in range(1, MAX_FILE_BYTES):
                line = lines.readline(MAX_LINE_BYTES + 1)
                if not line:
                    return
                total += len(line)
                where = f"{path.name}:{number}"
                if total > MAX_FILE_BYTES or len(line) > MAX_LINE_BYTES:
                    raise BadInputError(
                        "the file is too large", wanted=f"lines of at most {MAX_LINE_BYTES:,} bytes", where=where
                    )
                if not line.strip():
                    continue
                value = parse_json(line, where=where)
                if not isinstance(value, dict):
                    raise BadInputError("a line is one JSON object", found=type(value).__name__, where=where)
                yield number, value
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadInputError(
            "the file is damaged", wanted="a whole gzip file", found=str(error)[:200], where=path.name
        ) from error
    except OSError as error:
        raise NotFoundError("the file cannot be read", found=error.strerror, where=str(path)) from error


def source_case(raw: JsonObject, category: str, answers: JsonValue, where: str) -> SourceCase:
    """A source case from its parts.

    Args:
        raw: an object with `id` (or `base_id`), `question` and `function` (or `functions`).
        category: such as `live_simple`.
        answers: its `ground_truth`; None for the relevance categories.
        where: file and line, for messages.

    Raises:
        BadInputError: a part is missing or of another form, or the conversation has more than one turn.
    """
    turns = raw.get("question")
    if not isinstance(turns, list) or len(turns) != 1:
        raise BadInputError(
            "only conversations of one turn are covered",
            wanted="question: one list of messages",
            found=f"{len(turns)} turns" if isinstance(turns, list) else type(turns).__name__,
            where=where,
        )
    return SourceCase(
        id=text_of(raw, "base_id" if "base_id" in raw else "id", where),
        category=category,
        question=_objects(turns[0], "question", where),
        functions=_objects(raw.get("functions" if "functions" in raw else "function"), "function", where),
        answers=None if answers is None else _objects(answers, "ground_truth", where),
    )


def text_of(raw: JsonObject, name: str, where: str) -> str:
    """A field that is a text.

    Raises:
        BadInputError: it is missing or something else.
    """
    value = raw.get(name)
    if not isinstance(value, str) or not value:
        raise BadInputError(f"the field {name} is missing or no text", wanted="a text", where=where)
    return value


def _pair(raw: JsonObject, where: str) -> PairRow:
    category, calls, valid = text_of(raw, "category", where), raw.get("model_calls"), raw.get("bfcl_valid")
    if not isinstance(valid, bool):
        raise BadInputError("the field bfcl_valid is missing", wanted="true or false", where=where)
    text, reason = raw.get("model_text"), raw.get("bfcl_error_type")
    return PairRow(
        id=text_of(raw, "id", where),
        source=source_case(raw, category, raw.get("ground_truth"), where),
        language=text_of(raw, "language", where),
        perturbation=text_of(raw, "perturbation", where),
        calls=None if calls is None else _objects(calls, "model_calls", where),
        text=text if isinstance(text, str) else "",
        valid=valid,
        reason=reason if isinstance(reason, str) else None,
    )


def _objects(value: JsonValue, name: str, where: str) -> tuple[JsonObject, ...]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise BadInputError(f"the field {name} is a list of objects", found=type(value).__name__, where=where)
    return tuple(value)

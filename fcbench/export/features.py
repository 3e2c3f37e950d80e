"""The columns of the exported dataset, as Arrow schemas. Nothing is inferred from values.

A column that holds free JSON is a string with one JSON text (sorted keys, no spaces): types inside it may differ from
row to row, which no columnar format can hold.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl
import pyarrow as pa

from fcbench.aggregate.frames import BOARD_COLUMNS
from fcbench.aggregate.tables import BOARD_SCHEMA
from fcbench.aggregate.verdict_columns import KEY, VERDICT_SCHEMA

TEXT, TRUTH, SHORT, LONG, REAL = pa.string(), pa.bool_(), pa.int32(), pa.int64(), pa.float64()
TEXTS = pa.list_(pa.string())
RUN_BOARD = tuple(name for name in BOARD_COLUMNS if name not in ("tier", "evaluator_version"))
"""Board columns that evidence has: it is not yet judged. `oracle_hash` is the oracle that the run was planned with."""
_FUNCTION = pa.struct([("name", TEXT), ("arguments", TEXT)])
_TOOL_CALL = pa.struct([("id", TEXT), ("type", TEXT), ("function", _FUNCTION)])
_MESSAGE = pa.struct(
    [
        ("role", TEXT),
        ("content", TEXT),
        ("tool_calls", pa.list_(_TOOL_CALL)),
        ("tool_call_id", TEXT),
        ("name", TEXT),
    ]
)


def _columns(kind: pa.DataType, names: str) -> list[tuple[str, pa.DataType]]:
    return [(name, kind) for name in names.split()]


_RUN = [*_columns(TEXT, "run_id model"), ("control", TRUTH), *_columns(TEXT, "purpose " + " ".join(RUN_BOARD))]
_OF_ATTEMPT = [*_RUN, *_columns(TEXT, "suite task_id case_sha256 language"), ("repeat", SHORT)]

CASES = pa.schema(
    [
        *_columns(TEXT, "case_sha256 suite task_id language registry fixture instruction context"),
        ("tools", TEXTS),
        *_columns(TRUTH, "single_call call_only"),
        ("time_limit_s", REAL),
        *_columns(TEXT, "decision expected_calls alternatives expected_end_state rationale"),
        *_columns(TEXT, "category mix level exercised_level difficulty family pair target"),
        *_columns(TEXTS, "traps skills lookalikes missing harnesses requires"),
        *_columns(TEXT, "canary record"),
    ]
)
"""One row a case as it was run; a case that changed between runs has a row for each form, told apart by its digest."""

TOOLS = pa.schema(
    [
        *_columns(TEXT, "contract_sha256 registry name"),
        ("version", SHORT),
        *_columns(TEXT, "category description parameters returns effect capability language portability record"),
        ("registry_hashes", TEXTS),
    ]
)
"""One row a contract; `registry_hashes` names the registries that it belongs to, each of which is here whole."""

RUNS = pa.schema(
    [
        *_RUN,
        *_columns(TEXT, "provider registry created_at sealed_at"),
        ("complete", TRUTH),
        *_columns(SHORT, "repeats cases"),
        *_columns(TEXTS, "badges case_digests contract_digests"),
        *_columns(TEXT, "prompt header manifest"),
    ]
)
"""One row a run. `case_digests` and `contract_digests` name rows of `cases` and `tools`, in the order of the run."""

ATTEMPTS = pa.schema(
    [
        *_OF_ATTEMPT,
        ("try", SHORT),
        *_columns(TEXT, "outcome stop final_text started_at"),
        ("duration_s", REAL),
        *_columns(SHORT, "rounds calls retries"),
        *_columns(LONG, "input_tokens output_tokens cached_input_tokens"),
        *_columns(TEXT, "candidates phases end_state error attempt_sha256 record"),
    ]
)

ROUNDS = pa.schema(
    [
        *_OF_ATTEMPT,
        ("round", SHORT),
        ("started_at", TEXT),
        *_columns(REAL, "duration_s reply_s"),
        *_columns(TEXT, "finish_reason text"),
        ("tools_called", TEXTS),
        *_columns(TEXT, "calls nudge"),
        *_columns(LONG, "input_tokens output_tokens cached_input_tokens"),
        *_columns(TEXT, "request_sha256 reply_sha256"),
    ]
)

MESSAGES = pa.schema([*_OF_ATTEMPT, ("outcome", TEXT), ("messages", pa.list_(_MESSAGE)), ("tools", TEXT)])


def _arrow(kind: pl.DataType) -> pa.DataType:
    """The Arrow type that a polars column has here: plain strings and lists, which every reader knows."""
    if isinstance(kind, pl.List):
        return pa.list_(TRUTH if kind.inner == pl.Boolean() else TEXT)
    types: dict[type[pl.DataType], pa.DataType] = {
        pl.String: TEXT,
        pl.Boolean: TRUTH,
        pl.Int32: SHORT,
        pl.Int64: LONG,
        pl.Float64: REAL,
    }
    return types[type(kind)]


def _from_polars(schema: pl.Schema, leave_out: Iterable[str] = ()) -> list[tuple[str, pa.DataType]]:
    return [(name, _arrow(kind)) for name, kind in schema.items() if name not in leave_out]


VERDICTS = pa.schema(
    [
        *_OF_ATTEMPT,
        ("tier", TEXT),
        ("evaluator_version", SHORT),
        *_from_polars(VERDICT_SCHEMA, (*KEY, "evaluator_version")),
    ]
)
LEADERBOARD = pa.schema(
    [
        ("board", TEXT),
        *((name, SHORT if name == "evaluator_version" else TEXT) for name in BOARD_COLUMNS),
        *_from_polars(BOARD_SCHEMA),
    ]
)


def feature_lines(schema: pa.Schema) -> list[str]:
    """The schema as the YAML lines of a dataset card (`dataset_info: features`)."""
    lines = []
    for field in schema:
        lines += _feature(field, "")
    return lines


def _feature(field: pa.Field[pa.DataType], indent: str) -> list[str]:
    head = f"{indent}- name: {field.name}"
    if isinstance(field.type, pa.StructType):
        return [head, f"{indent}  struct:", *_members(field.type, indent)]
    if not isinstance(field.type, pa.ListType):
        return [head, f"{indent}  dtype: {_names(field.type)}"]
    item = field.type.value_type
    if not isinstance(item, pa.StructType):
        return [head, f"{indent}  list: {_names(item)}"]
    return [head, f"{indent}  list:", *_members(item, indent)]


def _members(struct: pa.StructType, indent: str) -> list[str]:
    return [line for place in range(struct.num_fields) for line in _feature(struct.field(place), indent + "  ")]


def _names(kind: pa.DataType) -> str:
    return {TEXT: "string", TRUTH: "bool", SHORT: "int32", LONG: "int64", REAL: "float64"}[kind]

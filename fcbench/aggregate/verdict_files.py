"""Verdict files: what one evaluator version says of one package, as Parquet beside the evidence.

A verdict file is derived and never sealed. Its metadata says which evaluator, which oracle and which evidence it came
from, so that a file that was left behind by other evidence is noticed. Nested parts are JSON text in String
columns: polars infers nothing, and a reader without fcbench can still read them.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import polars as pl

from fcbench.aggregate.verdict_columns import DETAILS, KEY, VERDICT_SCHEMA, row_of, verdict_of
from fcbench.core.names import Digest
from fcbench.core.records import Record, from_plain
from fcbench.core.verdicts import Verdict
from fcbench.errors import BadInputError, NotFoundError, PackageError
from fcbench.packages.files import write_whole
from fcbench.packages.store import Package

VERDICT_FORMAT = 1
"""Raised when a column changes its meaning; a newer file is refused by name."""
METADATA_KEY = "fcbench"
_ROWS_AT_ONCE = 10_000


class VerdictFileInfo(Record, frozen=True, kw_only=True):
    """What a verdict file says about itself, in its Parquet metadata."""

    format_version: int = VERDICT_FORMAT
    run_id: str
    evaluator_version: int
    oracle_hash: Digest
    attempts_sha256: Digest
    """Of `attempts.jsonl` as judged."""
    cases_sha256: Digest
    """Of `cases.jsonl` of the package."""
    rows: int

    def belongs_to(self, package: Package) -> bool:
        """Whether the evidence of a package is the evidence that was judged."""
        files = package.manifest.files
        return (self.attempts_sha256, self.cases_sha256) == (files.get("attempts.jsonl"), files.get("cases.jsonl"))


def write_verdicts(
    package: Package, verdicts: Iterable[Verdict], *, oracle_hash: Digest, evaluator_version: int
) -> Path:
    """Write `verdicts-v<N>-<oracle_hash[:8]>.parquet` beside the evidence, whole or not at all.

    Rows are sorted by (task_id, repeat, tier), so equal verdicts give equal bytes in whatever order they come.

    Args:
        package: the sealed package that was judged.
        verdicts: at most one for each (task_id, repeat, tier), all of `evaluator_version`.
        oracle_hash: of the oracles that judged, which need not be the package's own.
        evaluator_version: N.

    Raises:
        PackageError: two verdicts have one key, or one is of another evaluator version.
        WriteError: the folder cannot be written.
    """
    frame = to_frame(verdicts)
    _check_rows(frame, evaluator_version, package.folder)
    files = package.manifest.files
    info = VerdictFileInfo(
        run_id=package.manifest.run_id,
        evaluator_version=evaluator_version,
        oracle_hash=oracle_hash,
        attempts_sha256=files["attempts.jsonl"],
        cases_sha256=files["cases.jsonl"],
        rows=frame.height,
    )
    stream = io.BytesIO()
    # `omit_defaults` would drop the format version, which is the first thing a reader must see.
    metadata = {METADATA_KEY: msgspec.json.encode({"format_version": VERDICT_FORMAT, **_plain(info)}).decode()}
    frame.write_parquet(stream, compression="zstd", row_group_size=100_000, metadata=metadata)
    path = package.folder / verdict_file_name(evaluator_version, oracle_hash)
    write_whole(path, stream.getvalue())
    return path


def verdict_file_name(evaluator_version: int, oracle_hash: Digest) -> str:
    """The one name that a verdict file of this evaluator and oracle may have."""
    return f"verdicts-v{evaluator_version}-{oracle_hash[:8]}.parquet"


def to_frame(verdicts: Iterable[Verdict]) -> pl.DataFrame:
    """Verdicts as a frame of `VERDICT_SCHEMA`, sorted by key."""
    parts = [pl.DataFrame(schema=VERDICT_SCHEMA)]
    rows: list[tuple[object, ...]] = []
    for verdict in verdicts:
        rows.append(row_of(verdict))
        if len(rows) == _ROWS_AT_ONCE:
            parts.append(_frame(rows))
            rows = []
    parts.append(_frame(rows))
    return pl.concat(parts).sort(KEY, maintain_order=True)


def read_verdicts(path: Path, *, details: bool = True) -> tuple[VerdictFileInfo, pl.DataFrame]:
    """Read a verdict file: what it says about itself, and its rows as `VERDICT_SCHEMA`.

    Without `details` the texts of `DETAILS`, most of the bytes of a file, are neither read nor among the columns.

    Raises:
        NotFoundError: there is no such file.
        PackageError: it is damaged, not a verdict file, or from a newer format.
    """
    info = read_info(path)
    try:
        schema = pl.read_parquet_schema(path)
        names = [name for name in VERDICT_SCHEMA.names() if details or name not in DETAILS]
        frame = pl.read_parquet(path, columns=[name for name in names if name in schema])
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _damaged(path, str(error)) from error
    missing = [name for name, kind in VERDICT_SCHEMA.items() if schema.get(name) != kind]
    if missing:
        raise _damaged(path, "wrong or missing columns: " + ", ".join(missing))
    if frame.height != info.rows:
        raise _damaged(path, f"{frame.height} rows where the metadata says {info.rows}")
    return info, frame.select(names)


def read_info(path: Path) -> VerdictFileInfo:
    """What a verdict file says about itself, without reading its rows.

    Raises:
        NotFoundError: there is no such file.
        PackageError: it is damaged, not a verdict file, or from a newer format.
    """
    if not path.is_file():
        raise NotFoundError(
            "there is no such verdict file", where=str(path), next_step="run `fcbench score` on the package"
        )
    try:
        text = pl.read_parquet_metadata(path).get(METADATA_KEY)
        plain: object = msgspec.json.decode(text) if text else None
    except (pl.exceptions.PolarsError, OSError, msgspec.DecodeError) as error:
        raise _damaged(path, str(error)) from error
    version = plain.get("format_version") if isinstance(plain, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise _damaged(path, "no fcbench metadata")
    if version > VERDICT_FORMAT:
        raise PackageError(
            "this verdict file comes from another format",
            wanted=f"format version {VERDICT_FORMAT} or older",
            found=f"format version {version}",
            where=str(path),
            next_step="install a newer fcbench, or score the package again",
        )
    try:
        return from_plain(plain, VerdictFileInfo, where=str(path))
    except BadInputError as error:
        raise _damaged(path, error.found or error.message) from error


def verdict_records(frame: pl.DataFrame) -> Iterator[Verdict]:
    """The rows as records again, in the order of the frame. Nothing is lost on the way.

    Raises:
        PackageError: a cell does not hold what it should.
    """
    for row in frame.select(VERDICT_SCHEMA.names()).iter_rows(named=True):
        yield verdict_of(row)


def verdict_files(package: Package) -> list[Path]:
    """The verdict files of a package, the newest evaluator version last; none is opened."""
    found = []
    for path in package.folder.glob("verdicts-v*-*.parquet"):
        version = path.name.removeprefix("verdicts-v").split("-", 1)[0]
        if version.isascii() and version.isdigit():
            found.append((int(version), path.name, path))
    return [path for _, _, path in sorted(found)]


def compare_rows(left: pl.DataFrame, right: pl.DataFrame) -> list[tuple[str, int, str]]:
    """Keys (task_id, repeat, tier) whose rows differ, or that only one side has, sorted.

    Rows are compared, not bytes: two writers of Parquet may differ where the verdicts do not. A null equals a null.
    """
    names = VERDICT_SCHEMA.names()
    both = left.select(names).join(right.select(names), on=KEY, how="full", suffix="_right", coalesce=False)
    values = [name for name in names if name not in KEY]
    same = pl.all_horizontal(pl.col(name).eq_missing(pl.col(f"{name}_right")) for name in [*KEY, *values])
    keys = [pl.coalesce(name, f"{name}_right").alias(name) for name in KEY]
    return both.filter(~same).select(keys).sort(KEY).rows()


def flipped(left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
    """Rows that both sides have and that pass on one side only: KEY, `passed_left`, `passed_right`, sorted by key."""
    before = left.select(*KEY, pl.col("passed").alias("passed_left"))
    after = right.select(*KEY, pl.col("passed").alias("passed_right"))
    return before.join(after, on=KEY).filter(pl.col("passed_left") != pl.col("passed_right")).sort(KEY)


def _frame(rows: Sequence[tuple[object, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=VERDICT_SCHEMA, orient="row")


def _plain(info: VerdictFileInfo) -> Mapping[str, object]:
    return {name: getattr(info, name) for name in info.__struct_fields__}


def _check_rows(frame: pl.DataFrame, evaluator_version: int, folder: Path) -> None:
    twice = frame.filter(pl.struct(KEY).is_duplicated())
    if twice.height:
        raise PackageError(
            "two verdicts have one key",
            wanted="one verdict for each (task_id, repeat, tier)",
            found=", ".join(str(part) for part in twice.select(KEY).row(0)),
            where=str(folder),
        )
    others = frame.filter(pl.col("evaluator_version") != evaluator_version)
    if others.height:
        raise PackageError(
            "a verdict comes from another evaluator version",
            wanted=f"version {evaluator_version}",
            found=f"version {others.get_column('evaluator_version')[0]}",
            where=str(folder),
        )


def _damaged(path: Path, found: str) -> PackageError:
    return PackageError(
        "this verdict file is damaged or not one",
        wanted="a verdict file written by `fcbench score`",
        found=found.splitlines()[0][:200] if found else None,
        where=str(path),
        next_step="score the package again: verdicts can always be recomputed",
    )


__all__ = [
    "KEY",
    "VERDICT_SCHEMA",
    "VerdictFileInfo",
    "compare_rows",
    "flipped",
    "read_info",
    "read_verdicts",
    "to_frame",
    "verdict_file_name",
    "verdict_files",
    "verdict_records",
    "write_verdicts",
]

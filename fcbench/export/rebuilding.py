"""The packages of a dataset, rebuilt from its rows alone in a folder of ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from fcbench.core.canonical import digest_text, parse_json
from fcbench.core.evidence import Attempt
from fcbench.core.names import CaseId, Digest
from fcbench.core.records import from_plain, to_plain
from fcbench.errors import BadInputError
from fcbench.export.catalogue import Catalogue, Tell, compare, named, shown
from fcbench.export.conversation import messages, prompt_texts
from fcbench.export.reading import DatasetFolder, record_of
from fcbench.export.rows import Row, RunRows, attempt_row, round_row, run_row, run_rows
from fcbench.export.writing import OfferedTools
from fcbench.packages.integrity import TEMPLATE
from fcbench.packages.manifest import AttemptEntry, Manifest, RunHeader
from fcbench.packages.run_directory import pretty
from fcbench.packages.store import MANIFEST, Package


@dataclass(frozen=True, kw_only=True)
class RebuiltRun:
    """One run of a dataset as a package in a folder of ours."""

    package: Package
    rows: RunRows
    attempts: tuple[Attempt, ...]
    left_out: int
    """Cases of the run that are not in the dataset."""


def rebuild(dataset: DatasetFolder, row: Row, catalogue: Catalogue, folder: Path, tell: Tell) -> RebuiltRun | None:
    """Rebuild the package of one `runs` row; None where too little of it reads, which is told.

    Args:
        dataset: where the evidence lies.
        row: of `runs`.
        catalogue: of the same dataset.
        folder: a new one, for the package.
        tell: takes each difference.

    Raises:
        BadInputError: a file of the dataset does not read.
        WriteError: the folder cannot be written.
    """
    name = f"runs: {shown(row['run_id'])}"
    try:
        header = record_of(row["header"], RunHeader, name)
        sealed = parse_json(str(row["manifest"]), where=name)
        entry_free = {**(sealed if isinstance(sealed, dict) else {}), "header": to_plain(header), "attempts": []}
        manifest = from_plain(entry_free, Manifest, where=name)
    except BadInputError as error:
        tell(f"{name}: does not read: {error.found or error.message}")
        return None
    cases = named(row["case_digests"], catalogue.cases, f"{name}: case", tell)
    contracts = named(row["contract_digests"], catalogue.contracts, f"{name}: contract", tell)
    builder = _Builder(folder, manifest, prompt=str(row["prompt"]), cases=cases, contracts=contracts)
    rows = run_rows(builder.package)
    # Which cases and contracts these are is told by the digests of the files, and where they stand.
    again = run_row(rows, prompt=str(row["prompt"]), cases=(), contracts=())
    compare(row, again, name, tell, but=("case_digests", "contract_digests"))
    attempts = tuple(_attempts(dataset, rows, builder, tell))
    package = builder.seal()
    left_out = len(header.cases) - len(cases)
    for file, sha256 in builder.files.items():
        partial = file == "attempts.jsonl" or (file == "cases.jsonl" and left_out)
        if not partial and manifest.files.get(file) != sha256:
            tell(f"{name}: {file} is rebuilt with another SHA-256 than was sealed")
    _conversations(dataset, rows, attempts, str(row["prompt"]), tell)
    return RebuiltRun(package=package, rows=rows, attempts=attempts, left_out=left_out)


class _Builder:
    """Writes a package that holds what the dataset says, under digests of its own."""

    def __init__(
        self, folder: Path, manifest: Manifest, *, prompt: str, cases: Iterable[str], contracts: Iterable[str]
    ) -> None:
        self.files: dict[str, Digest] = {}
        self._folder = folder
        self._manifest = manifest
        self._lines: list[str] = []
        self._entries: list[AttemptEntry] = []
        folder.mkdir(parents=True)
        self._write("prompt.txt", prompt)
        self._write("cases.jsonl", "".join(f"{line}\n" for line in cases))
        self._write("contracts.jsonl", "".join(f"{line}\n" for line in contracts))
        if manifest.header.provider.chat_template is not None:
            self._write(TEMPLATE, manifest.header.provider.chat_template)
        self.package = Package(folder, manifest)

    def add(self, attempt: Attempt, line: str) -> None:
        """Take in one attempt."""
        self._lines.append(line)
        self._entries.append(
            AttemptEntry(
                task_id=attempt.task_id,
                repeat=attempt.repeat,
                try_number=attempt.try_number,
                outcome=attempt.outcome,
                sha256=digest_text(line),
            )
        )

    def seal(self) -> Package:
        """Write the attempts and a manifest of what lies there."""
        self._write("attempts.jsonl", "".join(f"{line}\n" for line in self._lines))
        manifest = replace(self._manifest, files=self.files, attempts=tuple(self._entries))
        (self._folder / MANIFEST).write_bytes(pretty(manifest))
        self.package = Package(self._folder, manifest)
        return self.package

    def _write(self, name: str, text: str) -> None:
        (self._folder / name).write_bytes(text.encode())
        self.files[name] = digest_text(text)


def _attempts(dataset: DatasetFolder, rows: RunRows, builder: _Builder, tell: Tell) -> Iterator[Attempt]:
    run_id = rows.package.header.run_id
    turns: dict[tuple[object, object], list[Row]] = {}
    for turn in dataset.rows("rounds", run_id):
        turns.setdefault((turn["task_id"], turn["repeat"]), []).append(turn)
    seen: set[tuple[str, int]] = set()
    for row in dataset.rows("attempts", run_id):
        name = f"{shown(row['task_id'])} repeat {row['repeat']} of run {shown(run_id)}"
        mine = turns.pop((row["task_id"], row["repeat"]), [])
        try:
            attempt = record_of(row["record"], Attempt, name)
        except BadInputError as error:
            tell(f"attempts: {name}: does not read: {shown(error.found or error.message)}")
            continue
        if attempt.task_id not in rows.package.cases or (attempt.task_id, attempt.repeat) in seen:
            tell(f"attempts: {name}: " + ("comes twice" if attempt.task_id in rows.package.cases else "has no case"))
            continue
        seen.add((attempt.task_id, attempt.repeat))
        start = rows.of_attempt(attempt.task_id, attempt.repeat)
        compare(row, attempt_row(start, attempt, str(row["record"])), f"attempts: {name}", tell, but=("case_sha256",))
        _check_rounds(start, mine, attempt, name, tell)
        builder.add(attempt, str(row["record"]))
        yield attempt
    for task, repeat in turns:
        tell(f"rounds: {shown(task)} repeat {repeat} of run {shown(run_id)}: has rounds and no attempt")


def _check_rounds(start: Row, found: list[Row], attempt: Attempt, name: str, tell: Tell) -> None:
    if len(found) != len(attempt.rounds):
        tell(f"rounds: {name}: {len(found)} rows, and the attempt has {len(attempt.rounds)} rounds")
        return
    for row, turn in zip(found, attempt.rounds, strict=True):
        compare(row, round_row(start, turn), f"rounds: {name}, round {turn.number}", tell, but=("case_sha256",))


def _conversations(dataset: DatasetFolder, rows: RunRows, attempts: Iterable[Attempt], prompt: str, tell: Tell) -> None:
    package = rows.package
    texts, offered = prompt_texts(prompt), OfferedTools(package)
    wanted = {(attempt.task_id, attempt.repeat): attempt for attempt in attempts}
    run = shown(package.header.run_id)
    for row in dataset.rows("messages", package.header.run_id):
        name = f"messages: {shown(row['task_id'])} repeat {row['repeat']} of run {run}"
        attempt = wanted.pop((CaseId(str(row["task_id"])), int(str(row["repeat"]))), None)
        if attempt is None:
            tell(f"{name}: has no attempt, or comes twice")
            continue
        case = package.cases[attempt.task_id]
        again: Row = {
            **rows.of_attempt(attempt.task_id, attempt.repeat),
            "outcome": attempt.outcome,
            "messages": messages(case.task, attempt, texts),
            "tools": offered.text(case, attempt),
        }
        compare(row, again, name, tell, but=("case_sha256",))
    for task, repeat in wanted:
        tell(f"messages: {shown(task)} repeat {repeat} of run {run}: is missing")

"""What a package must be before anything in it is believed: its files, their digests, and records that fit the list.

Nothing here needs the evaluator. The list of sealed files is ours (`store.SEALED`), never the manifest's: a manifest
that lists nothing would otherwise prove everything.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path

from fcbench.core.canonical import digest_bytes
from fcbench.core.evidence import Attempt
from fcbench.core.records import decode_line
from fcbench.errors import PackageError
from fcbench.packages.lock import LOCK, OWNER
from fcbench.packages.manifest import AttemptEntry, Manifest
from fcbench.packages.signature import SIGNATURE
from fcbench.packages.store import HEADER, LOG, MANIFEST, SEALED, Package, require_folder

TEMPLATE = "chat_template.jinja"
"""The one sealed file that only some packages have: those whose header declares a template."""
LEFT_BEHIND = (HEADER, LOCK, OWNER)
"""What a kill between sealing and the end of the run leaves behind: never evidence, so harmless."""
VERDICTS = re.compile(r"verdicts-v[0-9]{1,9}-[0-9a-f]{8}\.parquet")
"""Names of the files with verdicts, which are derived and not sealed."""
_EVIDENCE = ("cases.jsonl", "attempts.jsonl")


def sealed_names(manifest: Manifest) -> tuple[str, ...]:
    """The files that a package of this header must seal, no more and no fewer."""
    declared = manifest.header.provider.chat_template is not None
    return tuple(name for name in SEALED if name != TEMPLATE or declared)


def file_problems(package: Package) -> tuple[str, ...]:
    """What is wrong with the files of a package, one sentence each; empty where every byte is the sealed one.

    Only regular files with known names are opened: a link or a pipe would lead out of the package or never end.
    """
    problems = [*_listed(package.manifest), *_beside(package.folder, package.manifest)]
    if not problems:
        problems += [*_wrong_digests(package)]
    return tuple(problems)


def refuse_altered(package: Package) -> Package:
    """The package itself, if its files are the sealed ones: a cheap check before evidence is used.

    Raises:
        PackageError: a sealed file is missing, altered, a link, or not listed.
    """
    problems = file_problems(package)
    if problems:
        raise PackageError(
            "the evidence of this package is not what was sealed",
            wanted="the files and digests of its manifest",
            found="; ".join(problems[:3]),
            where=str(package.folder),
            next_step="see `fcbench verify`; take the package again from where it came, or leave it out",
        )
    return package


def checked_attempts(package: Package) -> Iterator[Attempt]:
    """The last try of each (case, repeat), as `Package.attempts`, from bytes whose digest was compared.

    Raises:
        PackageError: a record was altered, is missing, or is another one than the manifest lists.
    """
    last = {(entry.task_id, entry.repeat): entry.try_number for entry in package.manifest.attempts}
    for entry, attempt in checked_records(package):
        if entry.try_number == last[entry.task_id, entry.repeat]:
            yield attempt


def checked_records(package: Package) -> Iterator[tuple[AttemptEntry, Attempt]]:
    """Every try in the order of the file with its entry, from bytes whose digest was compared.

    Raises:
        PackageError: a record was altered, is missing, or is another one than the manifest lists.
    """
    entries = package.manifest.attempts
    place = package.folder / "attempts.jsonl"
    number = 0
    for number, line in enumerate(package.raw_attempts(), start=1):
        where = f"{place}:{number}"
        entry = entries[number - 1] if number <= len(entries) else None
        if entry is None or digest_bytes(line) != entry.line_sha256:
            raise _not_listed("a record whose SHA-256 the manifest lists here", "another record", where)
        attempt = decode_line(line, Attempt, where=where)
        listed = (entry.task_id, entry.repeat, entry.try_number, entry.outcome)
        found = (attempt.task_id, attempt.repeat, attempt.try_number, attempt.outcome)
        if listed != found:
            raise _not_listed(_words(*listed), _words(*found), where)
        yield entry, attempt
    if number < len(entries):
        raise _not_listed(f"{len(entries)} records", f"{number} records", str(place))


def _words(task: str, repeat: int, try_number: int, outcome: str) -> str:
    return f"{task} repeat {repeat} try {try_number}, {outcome}"


def _not_listed(wanted: str, found: str, where: str) -> PackageError:
    return PackageError(
        "attempts.jsonl does not hold what the manifest lists",
        wanted=wanted,
        found=found,
        where=where,
        next_step="take the package again from where it came: evidence is never mended",
    )


def _listed(manifest: Manifest) -> Iterator[str]:
    wanted = sealed_names(manifest)
    for name in wanted:
        if name not in manifest.files:
            yield f"{MANIFEST}: lists no digest of {name}"
    for name in manifest.files:
        if name not in wanted:
            yield f"{MANIFEST}: lists {name[:80]!r}, which is no sealed file of this package"


def _beside(folder: Path, manifest: Manifest) -> Iterator[str]:
    wanted = sealed_names(manifest)
    present = {path.name: path for path in sorted(folder.iterdir())}
    for name, path in present.items():
        known = name in (MANIFEST, SIGNATURE, LOG, *wanted, *LEFT_BEHIND) or VERDICTS.fullmatch(name)
        if not known:
            yield f"{name}: is no part of an execution package"
        elif not stat.S_ISREG(path.lstat().st_mode):
            yield f"{name}: is a link or no regular file"
    for name in wanted:
        if name not in present:
            yield f"{name}: is missing"


def _wrong_digests(package: Package) -> Iterator[str]:
    for name in sealed_names(package.manifest):
        wanted, found = package.manifest.files[name], digest_bytes((package.folder / name).read_bytes())
        if wanted != found:
            yield f"{name}: wanted SHA-256 {wanted[:12]}, found {found[:12]}"


def left_behind(folder: Path) -> tuple[str, ...]:
    """Names of harmless files that an interrupted sealing left in a package."""
    return tuple(name for name in LEFT_BEHIND if (folder / name).exists())


def evidence_without_manifest(root: Path) -> list[Path]:
    """Folders that hold evidence and no manifest, sorted: packages that would otherwise disappear without a word.

    Runs under way (`.partial`) are none.

    Raises:
        NotFoundError: the folder does not exist.
    """
    require_folder(root)
    holding = {path.parent for name in _EVIDENCE for path in root.rglob(name)}
    return sorted(folder for folder in holding if not _is_partial(folder) and not (folder / MANIFEST).exists())


def runs_under_way(root: Path) -> list[Path]:
    """Run directories below a folder (or the folder itself) that are not sealed yet, sorted."""
    return sorted({path.parent for path in root.rglob(HEADER) if path.parent.suffix == ".partial"})


def _is_partial(folder: Path) -> bool:
    return any(part.suffix == ".partial" for part in (folder, *folder.parents))

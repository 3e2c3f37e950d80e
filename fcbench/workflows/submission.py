"""Check packages that somebody hands in: every file and verdict, the protocol, signs of tampering, the signature."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from fcbench.core.records import Record, to_plain
from fcbench.errors import FcbenchError, NotFoundError, PackageError
from fcbench.packages.archive import pack as write_archive
from fcbench.packages.archive import unpack
from fcbench.packages.files import digest_file
from fcbench.packages.held_out import secret_cases
from fcbench.packages.integrity import file_problems
from fcbench.packages.signature import sign as write_signature
from fcbench.packages.signature import signer
from fcbench.packages.signs import Sign, signs_between, signs_within
from fcbench.packages.store import MANIFEST, Package, find_packages, open_package
from fcbench.workflows.markdown_tables import bullets, heading, markdown_table
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.protocol import departures
from fcbench.workflows.verify import WORLD, Verified, verify, verify_all

Answer = Literal["accept", "refuse", "look"]
MOST_SHOWN = 20
"""Sentences of one kind in a report; a hostile package may give any number."""


class Checked(Record, frozen=True, kw_only=True):
    """What the check of one package found."""

    run_id: str
    model: str = ""
    board: str = ""
    attempts: int = 0
    verdicts: int = 0
    """Verdicts that were recomputed and compared."""
    problems: tuple[str, ...] = ()
    """What is wrong: the package is refused."""
    departures: tuple[str, ...] = ()
    """Where the run left the protocol of its collection, or is of other versions (`protocol.departures`)."""
    signs: tuple[Sign, ...] = ()
    """What no run gives: somebody has to look."""
    open_questions: tuple[str, ...] = ()
    signed_by: str | None = None

    @property
    def answer(self) -> Answer:
        """`refuse` where something is wrong, `look` where somebody has to decide, else `accept`."""
        if self.problems:
            return "refuse"
        return "look" if self.departures or self.signs or self.open_questions else "accept"


class Submission(Record, frozen=True, kw_only=True):
    """What the check of a folder or an archive found."""

    packages: tuple[Checked, ...]

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """0: all may be accepted; 1: one is wrong; 2: somebody has to look."""
        found = {one.answer for one in self.packages}
        return 1 if "refuse" in found else 2 if "look" in found else 0

    def data(self) -> object:
        """As plain JSON values."""
        return {"packages": [_plain(one) for one in self.packages]}

    def text(self) -> str:
        """For a terminal."""
        return "\n".join(line for one in self.packages for line in _text(one))

    def markdown(self) -> str:
        """For a comment on a pull request."""
        rows = [(one.answer, one.run_id, one.model, one.board, str(one.verdicts)) for one in self.packages]
        lines = [heading(2, "Packages that were handed in"), ""]
        lines += markdown_table(("answer", "run", "model", "board", "verdicts recomputed"), rows)
        for one in self.packages:
            for title, sentences in _parts(one):
                lines += ["", heading(3, f"{one.run_id}: {title}"), "", *bullets(sentences)]
        return "\n".join(lines)


def check(
    place: Path, project: Path | None = None, against: Path | None = None, allowed: Path | None = None
) -> Submission:
    """Check an archive that `pack` wrote, a package's folder, or a folder with packages below it.

    Args:
        place: what was handed in.
        project: whose collections say what the protocol is.
        against: packages that are there already: what is shared with one of them is a sign.
        allowed: a file of allowed signers; signatures are looked at only with it.

    Raises:
        NotFoundError: there is nothing at `place`, or no package in it.
        PackageError: the archive is none of a package.
    """
    material = load(find_project(project))
    if place.is_dir():
        return _check_below(place, material, against, allowed)
    if not place.is_file():
        raise NotFoundError("there is nothing to check", wanted="an archive or a folder", where=str(place))
    with tempfile.TemporaryDirectory(prefix="fcbench-check-") as scratch:
        return _check_below(unpack(place, Path(scratch)), material, against, allowed)


def _check_below(root: Path, material: Material, against: Path | None, allowed: Path | None) -> Submission:
    found = verify_all(root).packages
    if not found:
        raise NotFoundError("no package was handed in", wanted="a folder with manifest.json", where=str(root))
    sound = [open_package(one.folder) for one in found if not one.problems]
    shared = [*signs_between([*_others(against, sound), *sound])]
    return Submission(packages=tuple(_checked(one, material, shared, allowed) for one in found))


def _others(against: Path | None, handed_in: Sequence[Package]) -> Iterator[Package]:
    """The packages that are there already; one that is handed in again, byte for byte, is no other."""
    known = {digest_file(one.folder / MANIFEST) for one in handed_in}
    for folder in find_packages(against) if against else ():
        if digest_file(folder / MANIFEST) not in known:
            package = open_package(folder)
            # What was altered there is no evidence against anybody.
            if not file_problems(package):
                yield package


def _checked(found: Verified, material: Material, shared: Sequence[Sign], allowed: Path | None) -> Checked:
    if found.problems:
        return Checked(run_id=found.run_id, problems=found.problems[:MOST_SHOWN])
    try:
        package = open_package(found.folder)
        return _sound(package, found, material, shared, allowed)
    except WORLD as error:
        told = error.message if isinstance(error, FcbenchError) else f"{type(error).__name__}: {error}"
        return Checked(run_id=found.run_id, problems=(told,))


def _sound(
    package: Package, found: Verified, material: Material, shared: Sequence[Sign], allowed: Path | None
) -> Checked:
    run, problems = package.header.run_id, []
    if secret_cases(package):
        problems.append("it holds held-out cases in the clear: hand in its redacted form")
    signed_by = None
    if allowed is not None:
        try:
            signed_by = signer(package, allowed)
        except FcbenchError as error:
            problems.append(f"{error.message}: {error.found or ''}")
    signs = [*signs_within(package), *(one for one in shared if one.where == run)]
    return Checked(
        run_id=run,
        model=package.header.provider.model,
        board=package.header.key.collection,
        attempts=found.attempts,
        verdicts=found.verdicts,
        problems=tuple(problems),
        departures=tuple(departures(package, material)),
        signs=tuple(signs[:MOST_SHOWN]),
        open_questions=found.open_questions[:MOST_SHOWN],
        signed_by=signed_by,
    )


def pack(folder: Path, output: Path) -> Path:
    """Pack one package, after verifying it whole.

    Raises:
        NotFoundError: there is no sealed package.
        PackageError: it is not intact, or holds held-out cases in the clear.
        WriteError: the archive cannot be written.
    """
    package = open_package(folder)
    found = verify(folder)
    if found.problems:
        raise PackageError(
            "this package is not intact",
            wanted="a package that `fcbench verify` finds intact",
            found=found.problems[0],
            where=str(folder),
            next_step="take it again from where it came, or make the run again",
        )
    return write_archive(package, output)


def sign(folder: Path, key: Path) -> Path:
    """Sign one package; see `packages.signature.sign`."""
    return write_signature(open_package(folder), key)


def _parts(one: Checked) -> Iterator[tuple[str, tuple[str, ...]]]:
    signs = tuple(f"{sign.kind}: {sign.where}: {sign.sentence}" for sign in one.signs)
    parts = (
        ("wrong", one.problems),
        ("not by the protocol", one.departures),
        ("signs of tampering", signs),
        ("cannot tell", one.open_questions),
    )
    return ((title, sentences) for title, sentences in parts if sentences)


def _text(one: Checked) -> Iterator[str]:
    yield f"{one.answer:8}{one.run_id}: {one.model or 'unknown model'}, {one.board or 'unknown board'}"
    yield f"  {one.attempts} attempts, {one.verdicts} verdicts recomputed, signed by {one.signed_by or 'nobody known'}"
    for title, sentences in _parts(one):
        yield from (f"  {title}: {sentence}" for sentence in sentences)


def _plain(one: Checked) -> dict[str, object]:
    """Every field, those without content as well."""
    fields = {name: getattr(one, name) for name in one.__struct_fields__}
    return {"answer": one.answer, **fields, "signs": [to_plain(sign) for sign in one.signs]}

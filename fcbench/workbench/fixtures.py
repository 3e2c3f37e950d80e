"""Prepared sessions: a fixture is parsed once in a process, and every attempt starts from a copy of its own."""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass
from pathlib import Path

from fcbench.core.yaml12 import load_yaml
from fcbench.errors import BadInputError, NotFoundError
from fcbench.workbench.description import Fixture
from fcbench.workbench.errors import ToolError
from fcbench.workbench.files import FileRoom
from fcbench.workbench.opening import attach_reads, load_variants, open_genome_file
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.session import Session, State


@dataclass(frozen=True, slots=True)
class PreparedFixture:
    """A fixture ready to be copied."""

    name: str
    folder: Path
    files: tuple[str, ...]
    pickled: bytes
    """The prepared `State` without its records. It is made and read in this process only."""
    records: tuple[SequenceRecord, ...]
    """The records that the state holds. They never change, so all sessions share them."""

    def session(self) -> Session:
        """A fresh session; nothing that one session can change is shared with another."""
        return Session(_Unpickler(self.pickled, self.records).state(), FileRoom(self.folder, self.files))


class _Pickler(pickle.Pickler):
    """Leaves records out and notes them."""

    def __init__(self, out: io.BytesIO) -> None:
        super().__init__(out, protocol=5)
        self.records: list[SequenceRecord] = []

    def persistent_id(self, obj: object) -> int | None:
        """The place of a record in `records`; None for everything else."""
        if not isinstance(obj, SequenceRecord):
            return None
        self.records.append(obj)
        return len(self.records) - 1


class _Unpickler(pickle.Unpickler):
    """Puts the noted records back."""

    def __init__(self, pickled: bytes, records: tuple[SequenceRecord, ...]) -> None:
        super().__init__(io.BytesIO(pickled))
        self._records = records

    def persistent_load(self, pid: int) -> SequenceRecord:
        """The record of a place."""
        return self._records[pid]

    def state(self) -> State:
        """The prepared state."""
        found = self.load()
        assert isinstance(found, State)
        return found


class Fixtures:
    """The fixtures of one registry, each prepared when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        """Take the folder `suites/fixtures/<registry>`."""
        self._folder = folder
        self._prepared: dict[str, PreparedFixture] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Every fixture there is, sorted."""
        return tuple(sorted(path.stem for path in self._folder.glob("*.yaml")))

    def session(self, name: str | None) -> Session:
        """A fresh session of a fixture; without a name an empty one that may read no file.

        Raises:
            NotFoundError: there is no such fixture.
            BadInputError: the description or one of its files is wrong.
        """
        if name is None:
            return Session(State(), FileRoom(self._folder, ()))
        if name not in self._prepared:
            self._prepared[name] = prepare(self._folder, name)
        return self._prepared[name].session()


def prepare(folder: Path, name: str) -> PreparedFixture:
    """Read a fixture.

    Raises:
        NotFoundError: there is no such fixture.
        BadInputError: the description or one of its files is wrong.
    """
    path = folder / f"{name}.yaml"
    if not path.is_file():
        there = ", ".join(sorted(each.stem for each in folder.glob("*.yaml")))
        raise NotFoundError("there is no fixture of this name", wanted=there, found=name, where=str(folder))
    description = load_yaml(path, error=BadInputError).read(Fixture)
    session = Session(State(), FileRoom(folder, description.files))
    try:
        if description.open:
            open_genome_file(session, description.open)
        if description.reads:
            attach_reads(session, description.reads)
        if description.variants:
            load_variants(session, description.variants)
    except ToolError as error:
        raise BadInputError("a fixture does not open", found=error.message, where=str(path)) from error
    out = io.BytesIO()
    pickler = _Pickler(out)
    pickler.dump(session.state)
    return PreparedFixture(
        name=name, folder=folder, files=description.files, pickled=out.getvalue(), records=tuple(pickler.records)
    )

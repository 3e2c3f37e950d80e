"""A session of manual rating: collected answers, blinded items, and two raters' ratings, as files in one folder.

`session.json` holds the cases as they were and the answers under blinded ids; it names no model. The key that leads
from an item back to its model is a file beside the folder, for whoever runs the session. Each rater has a file.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fcbench.core.canonical import clean_text, parse_json
from fcbench.core.names import CaseId, Digest
from fcbench.core.records import R, Record, decode_line, encode_line, from_plain, record_digest
from fcbench.errors import BadInputError, NotFoundError, UsageError, WriteError
from fcbench.packages.files import write_error, write_whole
from fcbench.suites.manual import ManualCase, ManualSuite, rating_problem

FORMAT: Final = 1
MAX_ANSWER: Final = 100_000
"""Letters of one answer; nobody rates more."""
MAX_ANSWERS: Final = 10_000
_RATER = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_MAX_FILE: Final = 512 * 1024 * 1024


class ManualAnswer(Record, frozen=True, kw_only=True):
    """What a model answered to a manual case; one line of a file of answers."""

    case: CaseId
    model: str
    text: str
    repeat: int = 1


class Item(Record, frozen=True, kw_only=True):
    """An answer as raters see it."""

    item: str
    """`i0001` and so on, in an order that the seed decides."""
    case: CaseId
    text: str


class Session(Record, frozen=True, kw_only=True):
    """What raters are given."""

    format: int
    cases: tuple[ManualCase, ...]
    items: tuple[Item, ...]

    @property
    def by_case(self) -> dict[CaseId, ManualCase]:
        """The cases by id."""
        return {case.id: case for case in self.cases}


class Unblinded(Record, frozen=True, kw_only=True):
    """Whose answer an item is."""

    item: str
    model: str
    repeat: int


class Key(Record, frozen=True, kw_only=True):
    """Leads from items to models."""

    session: Digest
    seed: int
    items: tuple[Unblinded, ...]


class Rating(Record, frozen=True, kw_only=True):
    """One rater's ratings of one item, by criterion; in a consensus, what both agreed on."""

    item: str
    ratings: dict[str, int]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Folder:
    """An open session folder."""

    path: Path
    session: Session

    def order(self, rater: str) -> list[Item]:
        """The items in this rater's own order, the same each time."""
        items = list(self.session.items)
        random.Random(f"{record_digest(self.session)} {rater}").shuffle(items)
        return items

    def case_of(self, item: Item) -> ManualCase:
        """The case that an item answers."""
        return self.session.by_case[item.case]

    def ratings(self, rater: str) -> dict[str, Rating]:
        """What a rater has given so far, by item.

        Raises:
            BadInputError: the file does not fit the session.
        """
        return self._read(self._file(rater), whole=True)

    def raters(self) -> list[str]:
        """Everybody who has begun, sorted."""
        return sorted(path.stem.removeprefix("ratings-") for path in self.path.glob("ratings-*.jsonl"))

    def join(self, rater: str) -> None:
        """Check that somebody may rate here.

        Raises:
            UsageError: this is no name for a file, or two others have begun.
        """
        others = [each for each in self.raters() if each != rater]
        if not _RATER.fullmatch(rater) or len(others) > 1:
            raise UsageError(
                "two raters have begun already" if len(others) > 1 else "this is no name of a rater",
                wanted="small letters, digits and hyphens" if len(others) < 2 else "one of the two",
                found=rater[:60],
                where="--rater",
            )

    def save(self, rater: str, given: Mapping[str, Rating]) -> None:
        """Write a rater's file whole.

        Raises:
            WriteError: the folder cannot be written.
        """
        write_whole(self._file(rater), [encode_line(given[name]) for name in sorted(given)])

    def done_by_two(self) -> tuple[dict[str, Rating], dict[str, Rating]]:
        """Both raters' complete ratings, in the order of their names.

        Raises:
            UsageError: there are not two yet, or one has not finished; so nobody sees the other's before.
        """
        names = self.raters()
        both = [self.ratings(name) for name in names]
        short = [f"{name} {len(one)} of {len(self.session.items)}" for name, one in zip(names, both, strict=True)]
        if len(both) != 2 or any(len(one) != len(self.session.items) for one in both):
            raise UsageError(
                "two raters must have rated everything first",
                wanted=f"two files of ratings over {len(self.session.items)} items",
                found=", ".join(short) or "nobody has begun",
                where=str(self.path),
                next_step="finish with `fcbench review rate`",
            )
        return both[0], both[1]

    def differing(self) -> dict[str, list[str]]:
        """Item -> the criteria that the two raters see differently.

        Raises:
            UsageError: see `done_by_two`.
        """
        first, second = self.done_by_two()
        found = {
            name: [one for one, value in first[name].ratings.items() if second[name].ratings[one] != value]
            for name in first
        }
        return {name: names for name, names in found.items() if names}

    def consensus(self) -> dict[str, Rating]:
        """What was agreed on so far: of each item the criteria that differed."""
        return self._read(self.path / "consensus.jsonl", whole=False)

    def save_consensus(self, agreed: Mapping[str, Rating]) -> None:
        """Write the consensus whole."""
        write_whole(self.path / "consensus.jsonl", [encode_line(agreed[name]) for name in sorted(agreed)])

    def _file(self, rater: str) -> Path:
        return self.path / f"ratings-{rater}.jsonl"

    def _read(self, path: Path, *, whole: bool) -> dict[str, Rating]:
        if not path.is_file():
            return {}
        known = {item.item: item for item in self.session.items}
        found: dict[str, Rating] = {}
        for number, line in enumerate(path.read_bytes().splitlines(), 1):
            where = f"{path}:{number}"
            rating = decode_line(line, Rating, where=where)
            item = known.get(rating.item)
            names = {one.name: 0 for one in self.case_of(item).rubric} if item else {}
            full = rating.ratings if whole else {**names, **rating.ratings}
            problem = rating_problem(self.case_of(item), full) if item else "the session has no such item"
            if problem or rating.item in found:
                raise BadInputError("a rating does not fit", found=problem or "an item twice", where=where)
            found[rating.item] = rating
        return found


def blind(suite: ManualSuite, answers: Sequence[ManualAnswer], folder: Path, *, seed: int, key: Path) -> Folder:
    """Begin a session: answers under blinded ids, and the key apart.

    Raises:
        BadInputError: an answer is of no manual case, comes twice, is too long; or there is none.
        WriteError: the folder holds something, or the key exists.
    """
    _check(suite, answers)
    shuffled = sorted(answers, key=lambda one: (one.case, one.model, one.repeat))
    random.Random(seed).shuffle(shuffled)
    names = [f"i{number:04d}" for number in range(1, len(shuffled) + 1)]
    used = {one.case for one in answers}
    session = Session(
        format=FORMAT,
        cases=tuple(case for case in suite.cases.values() if case.id in used),
        items=tuple(
            Item(item=name, case=one.case, text=clean_text(one.text)) for name, one in zip(names, shuffled, strict=True)
        ),
    )
    owners = tuple(
        Unblinded(item=name, model=one.model, repeat=one.repeat) for name, one in zip(names, shuffled, strict=True)
    )
    if key.exists() or (folder.exists() and any(folder.iterdir())):
        taken = key if key.exists() else folder
        raise WriteError("a session overwrites nothing", wanted="a new folder and a new key", where=str(taken))
    if key.resolve().is_relative_to(folder.resolve()):
        raise UsageError(
            "the key would lie in the raters' folder", wanted="a place outside", found=str(key), where="--key"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(folder, error) from error
    write_whole(key, encode_line(Key(session=record_digest(session), seed=seed, items=owners)))
    write_whole(folder / "session.json", encode_line(session))
    return Folder(folder, session)


def open_session(folder: Path) -> Folder:
    """Open a session.

    Raises:
        NotFoundError: there is none.
        BadInputError: it is damaged, or of a newer format.
    """
    session = _one(folder / "session.json", Session)
    cases, items = session.by_case, [item.item for item in session.items]
    if session.format != FORMAT or len({*items}) != len(items) or any(one.case not in cases for one in session.items):
        raise BadInputError(
            "this session does not read",
            wanted=f"format {FORMAT}, each item once, each with its case",
            found=f"format {session.format}",
            where=str(folder),
        )
    return Folder(folder, session)


def open_key(path: Path, session: Session) -> Key:
    """Read the key of a session.

    Raises:
        NotFoundError: there is none.
        BadInputError: it is damaged, or belongs to another session.
    """
    key = _one(path, Key)
    if key.session != record_digest(session) or {one.item for one in key.items} != {one.item for one in session.items}:
        raise BadInputError("this key belongs to another session", where=str(path))
    return key


def read_answers(path: Path) -> list[ManualAnswer]:
    """Answers from a file of JSON lines.

    Raises:
        NotFoundError: the file cannot be read.
        BadInputError: a line is no answer.
    """
    raw = _bytes(path)
    lines = [(number, line) for number, line in enumerate(raw.split(b"\n"), 1) if line.strip()]
    return [decode_line(line, ManualAnswer, where=f"{path}:{number}") for number, line in lines]


def write_answers(path: Path, answers: Iterable[ManualAnswer]) -> None:
    """Write answers as JSON lines, whole."""
    write_whole(path, [encode_line(one) for one in answers])


def _check(suite: ManualSuite, answers: Sequence[ManualAnswer]) -> None:
    if not answers or len(answers) > MAX_ANSWERS:
        raise BadInputError(
            "there is no answer" if not answers else "there are too many answers",
            wanted=f"1 to {MAX_ANSWERS:,} answers",
            found=str(len(answers)),
        )
    seen: set[tuple[str, str, int]] = set()
    for one in answers:
        name = (one.case, one.model, one.repeat)
        problem = None
        if one.case not in suite.cases:
            problem = "there is no such manual case"
        elif name in seen:
            problem = "it comes twice; tell repeats apart with `repeat`"
        elif len(one.text) > MAX_ANSWER:
            problem = f"it is longer than {MAX_ANSWER:,} letters"
        elif not one.model.strip() or one.repeat < 1:
            problem = "it names no model, or no repeat from 1"
        if problem:
            raise BadInputError(
                "an answer cannot be rated", found=f"{one.case[:60]}, {one.model[:60]}, repeat {one.repeat}: {problem}"
            )
        seen.add(name)


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            raw = stream.read(_MAX_FILE + 1)
    except OSError as error:
        raise NotFoundError("the file cannot be read", found=error.strerror, where=str(path)) from error
    if len(raw) > _MAX_FILE:
        raise BadInputError("the file is too large", wanted=f"at most {_MAX_FILE:,} bytes", where=str(path))
    return raw


def _one(path: Path, kind: type[R]) -> R:
    return from_plain(parse_json(_bytes(path), max_bytes=_MAX_FILE, where=str(path)), kind, where=str(path))

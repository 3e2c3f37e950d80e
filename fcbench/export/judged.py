"""A package for other tools: each attempt with its case and its verdicts, in the order of the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fcbench.aggregate.frames import Scored
from fcbench.aggregate.verdict_files import VerdictFileInfo, read_verdicts, verdict_records
from fcbench.core.cases import Case
from fcbench.core.evidence import Attempt
from fcbench.core.names import CaseId
from fcbench.core.verdicts import Verdict
from fcbench.errors import PackageError
from fcbench.export.conversation import messages, prompt_texts
from fcbench.export.rows import Row
from fcbench.export.standings import Standings
from fcbench.packages.held_out import refuse_secret
from fcbench.packages.store import Package
from fcbench.suites.manual import is_manual_suite


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One attempt, and what one evaluator says of it at every tier that applies."""

    case: Case
    attempt: Attempt
    verdicts: tuple[Verdict, ...]
    """Sorted by tier; empty where the attempt has no outcome that may be judged."""
    messages: tuple[Row, ...]
    """As `conversation.messages` gives them."""


class JudgedRun:
    """One package under one verdict file. Cases of manual suites are left out, as they are everywhere (PROTOCOL 8)."""

    def __init__(self, source: Scored) -> None:
        """Read the verdicts; attempts are read when they are asked for.

        Raises:
            PackageError: the package is a shard or holds held-out cases in the clear, or the verdicts are not its own.
        """
        package = source.package
        if package.header.purpose == "shard":
            raise PackageError(
                "a shard is no run: its numbers would be those of a part",
                wanted="a sealed run",
                where=str(package.folder),
                next_step="merge the shards with `fcbench package merge`",
            )
        refuse_secret(package, "exported")
        self.package: Package = package
        self.info: VerdictFileInfo
        self.info, frame = read_verdicts(source.verdicts)
        self._frame = frame
        self._places: dict[tuple[str, int], list[int]] = {}
        for place, (task_id, repeat) in enumerate(frame.select("task_id", "repeat").iter_rows()):
            self._places.setdefault((task_id, repeat), []).append(place)
        standings = Standings()
        standings.add(source)
        tables = list(standings.tables())
        self.boards: Mapping[str, Row] = {board.tier: table.row(0, named=True) for board, table in tables}
        """The run's row of each board that it stands on, by tier."""
        self.slugs: Mapping[str, str] = {board.tier: board.slug for board, _ in tables}
        """The file name of each of these boards, which differs wherever their keys do."""

    @property
    def cases(self) -> list[Case]:
        """The cases that may leave, in the order of the plan."""
        return [case for case in self.package.cases.values() if not is_manual_suite(case.suite)]

    def attempts(self) -> Iterator[Judged]:
        """The attempts that may leave (the last try of each), streamed.

        Raises:
            PackageError: an attempt has no case, or a file does not read.
        """
        texts = prompt_texts((self.package.folder / "prompt.txt").read_text(encoding="utf-8"))
        for attempt in self.package.attempts():
            case = self.package.cases.get(attempt.task_id)
            if case is None:
                raise PackageError("an attempt has no case", found=attempt.task_id[:80], next_step="verify the package")
            if not is_manual_suite(case.suite):
                yield Judged(
                    case=case,
                    attempt=attempt,
                    verdicts=self._verdicts(attempt.task_id, attempt.repeat),
                    messages=tuple(messages(case.task, attempt, texts)),
                )

    def _verdicts(self, task_id: CaseId, repeat: int) -> tuple[Verdict, ...]:
        places = self._places.get((task_id, repeat), [])
        return tuple(verdict_records(self._frame[places])) if places else ()

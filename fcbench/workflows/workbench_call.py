"""Tools of the workbench by hand: one session, calls checked and run as in an attempt, outputs kept."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from msgspec.structs import replace

from fcbench.core.canonical import MAX_BYTES
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import CallResult
from fcbench.core.names import JsonObject, ToolName
from fcbench.core.records import to_plain
from fcbench.errors import NotFoundError, UsageError, WriteError
from fcbench.packages.files import write_error, write_whole
from fcbench.suites.model import nearest
from fcbench.workbench.dispatch import call
from fcbench.workbench.session import Session
from fcbench.workbench.state import end_state
from fcbench.workbench.tools import implementations
from fcbench.workflows.json_faults import parse_or_explain
from fcbench.workflows.project import find_project
from fcbench.workflows.validate import check_value
from fcbench.workflows.validated import Checked, NamedViolation
from fcbench.workflows.workbench import sessions_of
from fcbench.workflows.workbench_list import REGISTRY, workbench_contracts
from fcbench.workflows.workbench_shell import split_command

FIRST_FIXTURE = "ecoli-d10483"
STATE_PARTS = ("project", "files", "view", "session")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One call by hand and what came of it."""

    contract: ToolContract
    arguments: JsonObject | None
    """None where they are not one JSON object."""
    checked: Checked
    """What is wrong with the arguments."""
    result: CallResult | None = None
    """None where the arguments are wrong: then no tool ran."""
    changed: tuple[str, ...] = ()
    """Parts of the end state that the call changed."""
    written: tuple[Path, ...] = ()
    """Files that the call wrote, where they lie now."""

    @property
    def succeeded(self) -> bool:
        """Whether the tool ran and succeeded."""
        return self.result is not None and self.result.status == "ok"

    def data(self) -> JsonObject:
        """As plain JSON."""
        checked = self.checked.data()
        return {
            "tool": str(self.contract.name),
            "effect": self.contract.effect,
            "arguments": self.arguments,
            "valid": checked["valid"],
            "violations": checked["violations"],
            "result": to_plain(self.result) if self.result else None,
            "changed": list(self.changed),
            "written": [str(path) for path in self.written],
        }


class Bench:
    """A session on a fixture, with the contracts of its tools.

    Raises:
        UsageError: the folder holds no project.
        NotFoundError: there is no such fixture, or the project has no registry of the workbench.
        BadInputError: the fixture or a contract is wrong.
    """

    def __init__(
        self,
        project: Path | None = None,
        fixture: str = FIRST_FIXTURE,
        output: Path | None = None,
        seconds: Callable[[], float] = perf_counter,
    ) -> None:
        """Open the session.

        Args:
            project: a project folder; the embedded default without.
            fixture: what the session starts from.
            output: gets the files that tools write; without it they stay in a temporary folder of their own.
            seconds: a clock for the durations of calls.
        """
        found = find_project(project)
        self.fixture = fixture
        self.contracts = workbench_contracts(project)
        self._sessions = sessions_of(found.suites, REGISTRY)
        self._output = output
        self._seconds = seconds
        self._kept: set[str] = set()
        self._session = self._opened()
        implementations()  # now, so that the first call is not charged with it

    def reset(self) -> None:
        """Begin again from the fixture; files that were kept stay."""
        self.close()
        self._session = self._opened()

    def _opened(self) -> Session:
        session = self._sessions.session(self.fixture)
        if self._output is None:
            session.files.keep()
        return session

    def close(self) -> None:
        """Remove the session's own folder where the outputs lie elsewhere."""
        if self._output is not None:
            self._session.files.close()

    def contract(self, tool: str) -> ToolContract:
        """The contract of a tool.

        Raises:
            NotFoundError: there is no such tool; the nearest name is given.
        """
        found = self.contracts.get(ToolName(tool))
        if found is None:
            raise NotFoundError(
                "the workbench has no tool of this name",
                wanted=f"one of {len(self.contracts)} tools",
                found=tool[:80],
                next_step=nearest(tool[:80], map(str, self.contracts)) or "list them with `fcbench workbench list`",
            )
        return found

    def call(self, tool: str, raw_arguments: bytes) -> Answer:
        """Check and run one call.

        Args:
            tool: its name.
            raw_arguments: a JSON object; empty for one without arguments.

        Raises:
            NotFoundError: there is no such tool.
            WriteError: an output cannot be kept in the folder that was asked for.
            FcbenchError: the tool has no implementation.
        """
        contract = self.contract(tool)
        value, fault = parse_or_explain(raw_arguments if raw_arguments.strip() else b"{}")
        if fault is not None:
            said = f"This is not strict JSON: {fault.reason.rstrip('.')}."
            broken = NamedViolation(kind="malformed_json", message=said, line=fault.line, column=fault.column)
            return Answer(
                contract=contract, arguments=None, checked=Checked(document=str(contract.name), violations=(broken,))
            )
        checked = check_value(str(contract.name), contract, value)
        if not checked.valid or not isinstance(value, dict):
            given = value if isinstance(value, dict) else None
            return Answer(contract=contract, arguments=given, checked=checked)
        return self._run(contract, value, checked)

    def _run(self, contract: ToolContract, arguments: JsonObject, checked: Checked) -> Answer:
        before, written = self.state(), dict(self._session.files.written)
        begun = self._seconds()
        result = call(self._session, contract, arguments)
        result = replace(result, duration_s=round(self._seconds() - begun, 6))
        after = self.state()
        new = [name for name, digest in self._session.files.written.items() if written.get(name) != digest]
        return Answer(
            contract=contract,
            arguments=arguments,
            checked=checked,
            result=result,
            changed=tuple(part for part in STATE_PARTS if before[part] != after[part]),
            written=tuple(self._keep(name) for name in new),
        )

    def state(self) -> JsonObject:
        """Digests of the session's parts, and the facts for readers."""
        return end_state(self._session)

    def _keep(self, name: str) -> Path:
        source = self._session.files.output_path(name)
        if self._output is None:
            return source
        target = self._output / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            is_inside = target.parent.resolve().is_relative_to(self._output.resolve())
            is_taken = target.is_symlink() or (target.exists() and name not in self._kept)
        except OSError as error:
            raise write_error(target, error) from error
        if is_taken or not is_inside:
            raise WriteError(
                "an output would replace something that this session did not write",
                wanted="a place where nothing lies",
                found="a file, folder or link",
                where=str(target),
                next_step="name another --output folder",
            )
        write_whole(target, source.read_bytes())
        self._kept.add(name)
        return target


def read_arguments(given: str | None) -> bytes:
    """The JSON itself, what the file after an `@` holds, or standard input for `-`.

    Raises:
        NotFoundError: the file cannot be read.
    """
    if given is None:
        return b""
    if given == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1) if sys.stdin is not None else b""
    if not given.startswith("@"):
        return given.encode("utf-8", "surrogateescape")
    try:
        with Path(given[1:]).open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise NotFoundError(
            "the arguments cannot be read", wanted="a file with JSON", found=error.strerror, where=given[1:]
        ) from error


def call_once(bench: Bench, tool: str, raw_arguments: bytes, before: Sequence[str] = ()) -> tuple[Answer, ...]:
    """Make the calls that come before, then the one that is meant; the first that fails is the last.

    Args:
        bench: a fresh session; closed at the end.
        tool: the one that is meant.
        raw_arguments: its arguments.
        before: calls as `TOOL JSON`.

    Raises:
        UsageError: a call of `before` is empty.
        NotFoundError: there is no such tool.
        WriteError: an output cannot be kept.
    """
    steps = []
    for text in before:
        typed = split_command(text.encode("utf-8", "surrogateescape"))
        if typed is None:
            raise UsageError("a call that comes before names no tool", wanted="'TOOL JSON'", where="--before")
        steps.append((typed.word, typed.rest))
    answers: list[Answer] = []
    bench.contract(tool)
    try:
        for name, raw in [*steps, (tool, raw_arguments)]:
            answers.append(bench.call(name, raw))
            if not answers[-1].succeeded:
                break
    finally:
        bench.close()
    return tuple(answers)

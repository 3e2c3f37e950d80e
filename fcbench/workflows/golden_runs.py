"""Golden runs played on the real tools: every call of a case in turn, on a fresh session of its fixture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from fcbench.core.canonical import digest
from fcbench.core.cases import Case, ExpectedCall
from fcbench.core.comparators import concrete
from fcbench.core.contracts import ToolContract, contracts_of
from fcbench.core.evidence import Attempt, CallResult
from fcbench.core.findings import Finding
from fcbench.core.names import CaseId, Digest, JsonObject, JsonValue, StepId, ToolName
from fcbench.core.parameter_schemas import parameters_schema
from fcbench.errors import BadInputError, NotFoundError
from fcbench.evaluator import golden_attempt
from fcbench.evaluator.plan import topological
from fcbench.suites.golden import is_played
from fcbench.workbench.dispatch import call
from fcbench.workbench.engines import TOLERANT, Engine, engine_label, engine_version
from fcbench.workbench.fixtures import Fixtures
from fcbench.workbench.session import Session
from fcbench.workbench.state import end_state
from fcbench.workbench.tools import implementations
from fcbench.workflows.project import Material
from fcbench.workflows.workbench import sessions_of


class StumbledError(Exception):
    """A golden run that the real tools do not carry."""

    def __init__(self, step: str, code: str, message: str) -> None:
        super().__init__(f"{step}: {code}: {message}")
        self.step = step
        self.code = code
        """A code of the workbench, `no_implementation`, `fixture`, `reference`, `invalid` or `harness_error`."""
        self.message = message


@dataclass(frozen=True, kw_only=True)
class PlayedRun:
    """One golden run with what it gave."""

    results: dict[StepId, JsonValue]
    """What each step returned."""
    digests: dict[StepId, Digest]
    """SHA-256 of each result's canonical JSON; none for engines with a tolerance."""
    engines: frozenset[str]
    end_state: JsonObject


class GoldenRuns:
    """Plays the golden runs of a project's cases, each once; every fixture is prepared once."""

    def __init__(self, material: Material, installed: Callable[[Engine], str | None] = engine_version) -> None:
        """Take the project, and what gives the version of an engine, or None."""
        self.material = material
        self._installed = installed
        self._sessions: dict[str, Fixtures] = {}
        self._played: dict[tuple[CaseId, int], PlayedRun | StumbledError] = {}

    def missing_engines(self, case: Case) -> tuple[Engine, ...]:
        """Engines that a golden run of the case needs and that are not installed here."""
        known = implementations()
        needed = {known[step.tool].engine for run in runs_of(case) for step in run if step.tool in known}
        return tuple(sorted(engine for engine in needed if self._installed(engine) is None))

    def can_play(self, case: Case) -> bool:
        """Whether the workbench has every expected tool of the case, with its engine, and a fixture to begin from."""
        known = implementations()
        fixture = case.task.fixture
        return (
            is_played(case)
            and all(step.tool in known for run in runs_of(case) for step in run)
            and (fixture is None or fixture in self._fixtures(case).names)
            and not self.missing_engines(case)
        )

    def play(self, case: Case, run: int = 0) -> PlayedRun:
        """Play one golden run.

        Args:
            case: a case with golden runs.
            run: 0 for the golden run, 1 for the first alternative, and so on.

        Raises:
            StumbledError: a call fails, a reference finds nothing, or the fixture does not open.
        """
        key = (case.id, run)
        if key not in self._played:
            self._played[key] = self._outcome(case, runs_of(case)[run])
        found = self._played[key]
        if isinstance(found, StumbledError):
            raise found
        return found

    def attempt(self, case: Case, contracts: Mapping[ToolName, ToolContract], run: int = 0) -> Attempt:
        """The attempt that plays a golden run, with the real results and the end state that it really left.

        Raises:
            StumbledError: see `play`.
        """
        played = self.play(case, run)
        made = golden_attempt(case, contracts, played.results, harness="workbench", run=run)
        # It ends where the run really ended, whatever is recorded.
        return replace(made, end_state=played.end_state)

    def _fixtures(self, case: Case) -> Fixtures:
        registry = case.task.registry
        if registry not in self._sessions:
            self._sessions[registry] = sessions_of(self.material.project.suites, registry)
        return self._sessions[registry]

    def _outcome(self, case: Case, steps: tuple[ExpectedCall, ...]) -> PlayedRun | StumbledError:
        try:
            session = self._fixtures(case).session(case.task.fixture)
        except (NotFoundError, BadInputError) as error:
            return StumbledError(steps[0].step, "fixture", f"{error.message}: {error.found or ''}")
        contracts = contracts_of(case.task, self.material.registries[case.task.registry].contracts)
        try:
            return _played(session, steps, contracts)
        except StumbledError as error:
            return error
        finally:
            session.files.close()


def runs_of(case: Case) -> tuple[tuple[ExpectedCall, ...], ...]:
    """The golden run, then the alternatives."""
    return (case.oracle.calls, *case.oracle.alternatives)


def run_name(run: int) -> str:
    """How messages name a golden run."""
    return f"alternative {run}" if run else "the golden run"


def case_finding(material: Material, case: Case, rule: str, message: str, *, warning: bool = False) -> Finding:
    """A finding at the place of a case."""
    place = material.suites.places[case.id]
    return Finding(
        rule=rule,
        message=f"{case.id}: {message}",
        file=place.document.file,
        line=place.line_of(),
        severity="warning" if warning else "error",
    )


def _played(session: Session, steps: tuple[ExpectedCall, ...], contracts: Mapping[ToolName, ToolContract]) -> PlayedRun:
    results: dict[StepId, JsonValue] = {}
    digests: dict[StepId, Digest] = {}
    engines: set[str] = set()
    # The order of `golden_attempt`: neighbours of a free-order block stand in one reply, and run one after the other.
    for index in topological(steps):
        step = steps[index]
        result = _result(session, step, contracts[step.tool], results)
        results[step.step] = result.content
        engine = implementations()[step.tool].engine
        # Our own code changes with every release; what it computes is what the digests hold.
        engines.add(engine if engine in ("session", "python") else engine_label(engine))
        if engine not in TOLERANT:
            digests[step.step] = digest(result.content)
    return PlayedRun(results=results, digests=digests, engines=frozenset(engines), end_state=end_state(session))


def _result(
    session: Session, step: ExpectedCall, contract: ToolContract, results: dict[StepId, JsonValue]
) -> CallResult:
    if step.tool not in implementations():
        raise StumbledError(step.step, "no_implementation", f"the workbench has no tool {step.tool}")
    try:
        arguments = {key: concrete(value, results) for key, value in step.arguments.items()}
    except KeyError as error:
        raise StumbledError(step.step, "reference", f"nothing stands in the source at {error}") from error
    if not parameters_schema(contract).is_valid(arguments):
        raise StumbledError(step.step, "invalid", f"the arguments break the schema of {step.tool}")
    try:
        result = call(session, contract, arguments)
    except Exception as error:
        raise StumbledError(step.step, "harness_error", f"{type(error).__name__}: {str(error)[:200]}") from error
    if result.status != "ok":
        said = result.content if isinstance(result.content, dict) else {}
        raise StumbledError(step.step, str(said.get("code", result.status)), str(said.get("message", "")))
    return result

"""The registry and the fixtures that workbench tests share; each is read once in a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import CallResult
from fcbench.core.names import JsonObject, ToolName
from fcbench.core.schema import compile_schema
from fcbench.registry.load import load_registries
from fcbench.workbench.dispatch import call
from fcbench.workbench.fixtures import Fixtures
from fcbench.workbench.session import Session

ROOT = Path(__file__).parents[2]
FIXTURE_FOLDER = ROOT / "suites/fixtures/genomics"


@cache
def contracts() -> dict[ToolName, ToolContract]:
    """Every contract of the registry `genomics`."""
    return dict(load_registries(ROOT / "tools_registry")["genomics"].contracts)


@cache
def fixtures() -> Fixtures:
    """The fixtures of the genomics cases."""
    return Fixtures(FIXTURE_FOLDER)


def fresh(fixture: str = "ecoli-d10483") -> Session:
    """A fresh session of a fixture."""
    return fixtures().session(fixture)


def run(session: Session, tool: str, **arguments: object) -> CallResult:
    """One call. The arguments must satisfy the contract, and a result must be what the contract says."""
    contract = contracts()[ToolName(tool)]
    given: JsonObject = dict(arguments)
    broken = compile_schema(contract.parameters).violations(given)
    assert not broken, (tool, given, broken)
    result = call(session, contract, given)
    if result.status == "ok":
        wrong = compile_schema(contract.returns).violations(result.content)
        assert not wrong, (tool, given, wrong)
    return result


def content(session: Session, tool: str, **arguments: object) -> JsonObject:
    """The result of one call that succeeds."""
    result = run(session, tool, **arguments)
    assert result.status == "ok", result.content
    assert isinstance(result.content, dict)
    return result.content


def error_code(session: Session, tool: str, **arguments: object) -> str:
    """The code of one call that fails."""
    result = run(session, tool, **arguments)
    assert result.status == "error", result.content
    assert isinstance(result.content, dict)
    return str(result.content["code"])

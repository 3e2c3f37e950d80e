"""What every tool owes, whatever it computes: tested over generated arguments, with nothing written for one tool."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcbench.core.canonical import canonical_text
from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue, ToolName
from fcbench.core.samples import sample
from fcbench.core.schema import compile_schema
from fcbench.errors import BadInputError
from fcbench.harnesses.answers import Answerer
from fcbench.providers.base import Reply, ReplyCall
from fcbench.workbench.dispatch import call
from fcbench.workbench.engines import ENGINES, engine_label
from fcbench.workbench.errors import CODES
from fcbench.workbench.session import Session
from fcbench.workbench.state import end_state
from fcbench.workbench.tools import implementations
from tests.workbench.hints import realistic
from tests.workbench.worlds import FIXTURE_FOLDER, contracts, fresh

WORST_S = 20.0
"""No call may take longer, on a busy machine: inputs are capped so that the work of any call is bounded."""
SAMPLES = 8
"""For each tool and fixture; test_fuzz.py draws many more, and is slow."""
TOOLS = [pytest.param(contract, id=name) for name, contract in contracts().items()]
FIXTURES = ("ecoli-d10483-reads", "chloroplast", "phix174", "empty-session")


def check(session: Session, contract: ToolContract, arguments: JsonObject) -> str:
    """One call: a valid result or a coded error that leaves the session as it was; returns the status."""
    before = end_state(session)
    begun = time.monotonic()
    result = call(session, contract, arguments)
    took = time.monotonic() - begun
    assert took < WORST_S, (contract.name, arguments, took)
    assert result.engine in {engine_label(engine) for engine in ENGINES}
    if result.status == "error":
        assert isinstance(result.content, dict)
        assert result.content["code"] in CODES
        assert len(str(result.content["message"])) > 10, "the message says what would be right"
        assert end_state(session) == before, f"{contract.name} failed and changed the session"
        return f"error {result.content['code']}"
    assert result.status == "ok"
    wrong = compile_schema(contract.returns).violations(result.content)
    assert not wrong, (contract.name, arguments, wrong[:3])
    assert len(canonical_text(result.content)) < 400_000, "results are capped"
    if contract.effect == "reads":
        assert end_state(session) == before, f"{contract.name} only reads and changed the session"
    assert_only_outputs(session)
    return "ok"


def assert_only_outputs(session: Session) -> None:
    """What was written lies below the session's own folder, and is what the record of files says."""
    for name in session.files.written:
        path = session.files.output_path(name)
        assert path.is_file()
        assert ".." not in Path(name).parts


def boundaries(contract: ToolContract) -> Iterator[JsonObject]:
    """Valid arguments with one value at the edge of its schema."""
    try:
        base = sample(contract.parameters, random.Random(1), optional=0.0)
    except BadInputError:
        return
    assert isinstance(base, dict)
    for name, schema in contract.properties.items():
        for value in edges(schema):
            made = {**base, name: value}
            if compile_schema(contract.parameters).is_valid(made):
                yield made


def edges(schema: JsonValue) -> Iterator[JsonValue]:
    """Values at the edge of one property's schema."""
    if not isinstance(schema, dict):
        return
    yield from (schema[key] for key in ("minimum", "maximum") if key in schema)
    if isinstance(schema.get("minimum"), int):
        yield float(schema["minimum"])  # 1.0 is an integer in JSON Schema
    enum = schema.get("enum")
    if isinstance(enum, list):
        yield from enum
    longest = schema.get("maxLength")
    if schema.get("type") == "string" and isinstance(longest, int):
        yield from ("x" * longest, "\u00e9\u202e\u0000 <b>"[:longest], "../../x"[:longest])
    items, most = schema.get("items"), schema.get("maxItems")
    if isinstance(most, int) and isinstance(items, dict):
        yield [sample(items, random.Random(number)) for number in range(most)]


@pytest.mark.parametrize("contract", TOOLS)
def test_sampled_arguments_give_a_valid_result_or_a_coded_error(contract: ToolContract) -> None:
    for seed in range(SAMPLES):
        rng = random.Random(seed)
        arguments = sample(contract.parameters, rng)
        assert isinstance(arguments, dict)
        for fixture in FIXTURES:
            check(fresh(fixture), contract, arguments)


@pytest.mark.parametrize("contract", TOOLS)
def test_values_at_the_edge_give_a_valid_result_or_a_coded_error(contract: ToolContract) -> None:
    for arguments in boundaries(contract):
        check(fresh("ecoli-d10483-reads"), contract, arguments)


@pytest.mark.parametrize("contract", TOOLS)
def test_the_same_call_answers_the_same(contract: ToolContract) -> None:
    rng = random.Random(5)
    arguments = realistic(contract, rng, fresh("ecoli-d10483-reads"))
    one = call(fresh("ecoli-d10483-reads"), contract, arguments)
    two = call(fresh("ecoli-d10483-reads"), contract, arguments)
    assert (one.status, one.content) == (two.status, two.content)


@pytest.mark.parametrize("contract", TOOLS)
@settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_realistic_arguments_escape_as_nothing_but_coded_errors(contract: ToolContract, data: st.DataObject) -> None:
    """Names, places and letters of the open genome, so that tools get past their first check; calls in a row."""
    session = fresh(data.draw(st.sampled_from(FIXTURES)))
    for _ in range(data.draw(st.integers(1, 3))):
        rng = random.Random(data.draw(st.integers(0, 2**32)))
        check(session, contract, realistic(contract, rng, session))
    session.files.close()


@pytest.mark.parametrize("seed", range(20))
def test_a_session_that_many_tools_went_through_still_answers(seed: int) -> None:
    """What one tool leaves behind is what the next one finds: a shorter genome, a closed tab, an empty queue."""
    rng = random.Random(seed)
    session = fresh(FIXTURES[seed % len(FIXTURES)])
    known = list(contracts().values())
    for _ in range(25):
        contract = rng.choice(known)
        check(session, contract, realistic(contract, rng, session))
    session.files.close()


@pytest.mark.parametrize("contract", TOOLS)
def test_a_wrong_call_is_answered_invalid_and_changes_nothing(contract: ToolContract) -> None:
    session = fresh()
    before = end_state(session)

    class Refusing:
        def run(self, contract: ToolContract, arguments: JsonObject) -> None:
            raise AssertionError("an invalid call reached the tool")

    answerer = Answerer({contract.name: contract}, Refusing())  # type: ignore[arg-type]
    long = '{"sequence": "' + "A" * (1 << 20) + '"}'
    wrong = (long, '{"no_such_argument": 1}', "[]", "{", '{"a": 1, "a": 2}', '{"start": NaN}')
    reply = Reply(
        text="",
        finish_reason="tool_calls",
        calls=tuple(ReplyCall(id=str(at), name=contract.name, raw_arguments=raw) for at, raw in enumerate(wrong)),
        request_sha256="0" * 64,  # type: ignore[arg-type]
        reply_sha256="0" * 64,  # type: ignore[arg-type]
    )
    assert {made.result.status for made in answerer.answer(reply, 1, 64)} == {"invalid"}
    assert end_state(session) == before


def listing(folder: Path) -> list[tuple[str, int, int]]:
    """Every file below a folder with its size and time."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in found]


def test_no_tool_touches_a_file_elsewhere_or_the_prepared_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wanted, before = end_state(fresh()), listing(FIXTURE_FOLDER)
    rng = random.Random(3)
    for contract in contracts().values():
        for _ in range(3):
            session = fresh()
            call(session, contract, realistic(contract, rng, session))
            session.files.close()
    assert end_state(fresh()) == wanted
    assert listing(FIXTURE_FOLDER) == before
    assert not list(tmp_path.iterdir()), "nothing is written where the process runs"


def test_every_contract_has_an_implementation_and_the_other_way_round() -> None:
    assert set(contracts()) == set(implementations())
    assert len(implementations()) >= 130


def test_no_tool_reads_the_clock_chance_or_the_network() -> None:
    """Source text: a cheap guard beside the socket guard of every test. Engines come through one seam only."""
    folder = Path(__file__).parents[2] / "fcbench/workbench"
    words = ["socket", "urllib", "http", "random", "time", "subprocess", "pysam", "pyhmmer", "primer3", "pyrodigal"]
    wrong = re.compile(rf"^\s*(?:import|from) (?:{'|'.join(words)})\b", re.MULTILINE)
    found = [path.name for path in folder.rglob("*.py") if wrong.search(path.read_text("utf-8"))]
    assert not found
    assert ToolName("get_sequence") in implementations()

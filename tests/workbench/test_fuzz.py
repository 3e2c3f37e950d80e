"""Every tool, many calls: nothing escapes but coded errors, and nothing is written outside the session's own folder.

`python -m pytest -m slow tests/workbench/test_fuzz.py`; FCBENCH_FUZZ_EXAMPLES is the number of drawn calls for each
tool and fixture. A summary is printed at the end: calls, error codes, the slowest tools.
"""

from __future__ import annotations

import copy
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue, ToolName
from fcbench.core.samples import sample
from fcbench.core.schema import compile_schema
from fcbench.workbench.dispatch import call
from fcbench.workbench.engines import engine_version
from fcbench.workbench.errors import CODES
from fcbench.workbench.files import FileRoom
from fcbench.workbench.session import Session, State
from fcbench.workbench.state import end_state
from fcbench.workbench.tools import implementations
from tests.workbench.hints import realistic
from tests.workbench.worlds import FIXTURE_FOLDER, contracts, fresh

EXAMPLES = int(os.environ.get("FCBENCH_FUZZ_EXAMPLES", "60"))
"""Drawn calls for each tool and fixture."""
WORST_S = 5.0
"""Seconds of the processor that no call may take: inputs are capped so that the work of any call is bounded."""
FIXTURES = ("ecoli-d10483", "chloroplast", "phix174", "empty-session")
WORDS = (
    "",
    "\0",
    "\u202egnp.exe",
    "../../x",
    "/etc/passwd",
    "<script>alert(1)</script>",
    "\x1b[2J",
    "\ud800",
    "%s%n{0}",
)
LETTERS = ("\u0130", "\u00df", "\ufb03", "\U0001f9ec", "a\u0300", "-", ".", "N", "A", "atg", "*")
"""Repeated to the longest that a schema allows: letters that grow in upper or lower case, and the plainest."""
FIRST = (
    ("load_reads_file", {"file_path": "reads/sample1.bam"}),
    ("load_variant_file", {"file_path": "variants/sample1.vcf"}),
    ("load_signal_tracks", {"file_paths": ["signals/gc_1kb.bedgraph"]}),
    ("load_operon_table", {"file_path": "operons/operons.tsv"}),
    ("load_comparison_genome", {"file_path": "genomes/NC_005816.gb", "label": "coli"}),
    ("build_search_database", {"name": "k12", "molecule": "protein"}),
    ("build_search_database", {"name": "first", "molecule": "nucleotide"}),
    ("search_protein_similarity", {"sequence": "MTHIVRFIGLLLLNASSLRGRRVSGIQH", "database": "k12"}),
    ("create_annotation", {"name": "site", "feature_type": "misc_feature", "start": 10, "end": 90, "strand": "+"}),
    ("highlight_region", {"start": 10, "end": 90, "color": "red"}),
    ("add_bookmark", {"name": "first", "start": 10, "end": 90}),
    ("save_view", {"name": "first"}),
    ("save_primer", {"name": "first", "sequence": "GATGCGCTTTGCTTATCCGG"}),
    ("add_task", {"title": "first"}),
    ("open_tab", {}),
    ("select_region", {"start": 10, "end": 90}),
    ("insert_sequence", {"position": 20, "sequence": "ACGT"}),
    ("execute_actions", {}),
    ("copy_sequence", {"start": 10, "end": 90}),
    ("delete_sequence", {"start": 30, "end": 40}),
    ("queue_variant", {"position": 5, "ref": "A", "alt": "C"}),
)
"""Calls after which a session holds one thing of each kind; those that a fixture refuses are left out."""


@dataclass
class Report:
    """What the calls of one tool on one fixture came to."""

    codes: Counter[str] = field(default_factory=Counter)
    """`ok` or the code of the error -> calls."""
    worst_s: float = 0.0
    """Of the processor: what a busy machine adds is not the tool's."""

    def note(self, code: str, seconds: float) -> None:
        """Count one call."""
        self.codes[code] += 1
        self.worst_s = max(self.worst_s, seconds)


class Watch:
    """Paths that are opened for writing, made, moved or removed while a call is at work.

    An audit hook cannot be removed again, so it is added once and heeds only what happens while it is armed.
    """

    EVENTS = frozenset(
        {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.truncate", "os.chmod"}
    )
    _WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def __init__(self) -> None:
        self.armed = False
        self.touched: list[str] = []
        self.forbidden: list[str] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.armed:
            return
        if event == "open" and isinstance(arguments[2], int) and arguments[2] & self._WRITES:
            self.touched.append(str(arguments[0]))
        elif event in self.EVENTS:
            self.touched += [str(each) for each in arguments[:2] if isinstance(each, str | Path)]
        elif event.startswith(("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn")):
            self.forbidden.append(event)


@cache
def watch() -> Watch:
    """The one watch of this process."""
    return Watch()


@cache
def filled(fixture: str) -> State:
    """A state that holds one thing of each kind."""
    session = fresh(fixture)
    for tool, arguments in FIRST:
        engine = implementations()[ToolName(tool)].engine
        if engine_version(engine) is not None:
            assert not compile_schema(contracts()[ToolName(tool)].parameters).violations(dict(arguments)), tool
            call(session, contracts()[ToolName(tool)], dict(arguments))
    session.files.close()
    return session.state


def filled_session(fixture: str) -> Session:
    """A copy of it, with the records shared."""
    state = filled(fixture)
    holders = [each for each in (state.genome, *state.comparisons.values(), *state.snapshots) if each]
    shared = {id(record): record for each in holders for record in each.records}
    return Session(copy.deepcopy(state, dict(shared)), FileRoom(FIXTURE_FOLDER, fresh(fixture).files.readable))


@st.composite
def hostile(draw: st.DrawFn, schema: JsonValue, length: int) -> JsonValue:
    """A value of a property's type at an edge, from its pattern, or that nobody expects."""
    assert isinstance(schema, dict)
    kind = schema.get("type")
    if "enum" in schema:
        return draw(st.sampled_from(schema["enum"]))  # type: ignore[arg-type]
    if kind == "boolean":
        return draw(st.booleans())
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", schema.get("exclusiveMinimum", 0)), schema.get("maximum", 2**53)
        assert isinstance(low, int | float)
        assert isinstance(high, int | float)
        edges = [low, high, low + 1, high - 1, float(low), float(high), length, length - 1, length + 1, -0.0, 5e-324]
        if kind == "integer":
            return draw(st.one_of(st.sampled_from(edges), st.integers(int(low), int(high))))
        return draw(st.one_of(st.sampled_from(edges), st.floats(low, high, allow_nan=False)))
    if kind == "array":
        most = schema.get("maxItems", 5)
        assert isinstance(most, int)
        items = draw(st.lists(hostile(schema["items"], length), min_size=1, max_size=3))
        return (items * most)[: draw(st.sampled_from((1, len(items), most)))]
    if kind == "object":
        inner = schema.get("properties")
        assert isinstance(inner, dict)
        required = schema.get("required", [])
        assert isinstance(required, list)
        return {name: draw(hostile(inner[name], length)) for name in inner if name in required or draw(st.booleans())}
    longest, pattern = schema.get("maxLength", 200), schema.get("pattern")
    assert isinstance(longest, int)
    filling = st.sampled_from(LETTERS).map(lambda each: (each * longest)[:longest])
    choices = [st.sampled_from(WORDS), filling, st.text(max_size=min(longest, 40))]
    if isinstance(pattern, str):
        choices.append(st.from_regex(pattern, fullmatch=True))
    return draw(st.one_of(*choices))


@st.composite
def calls_of(draw: st.DrawFn, contract: ToolContract, session: Session) -> JsonObject:
    """Valid arguments: a sample of the schema in which some values are realistic and some hostile."""
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        made = realistic(contract, rng, session)
    else:
        sampled = sample(contract.parameters, rng)
        assert isinstance(sampled, dict)
        made = sampled
    length = session.state.genome.records[0].length if session.state.genome else 1
    check = compile_schema(contract.parameters)
    for name, schema in contract.properties.items():
        if draw(st.integers(0, 2)) == 0:
            changed = {**made, name: draw(hostile(schema, length))}
            made = changed if check.is_valid(changed) else made
    return made


def checked(session: Session, contract: ToolContract, arguments: JsonObject, report: Report) -> None:
    """One call: it keeps every promise, or the test fails."""
    before, seen = end_state(session), watch()
    seen.touched, seen.forbidden, seen.armed = [], [], True
    begun = time.process_time()
    try:
        result = call(session, contract, arguments)
    finally:
        seen.armed = False
    took = time.process_time() - begun
    assert result.status in ("ok", "error")
    assert isinstance(result.content, dict)
    code = "ok" if result.status == "ok" else str(result.content["code"])
    report.note(code, took)
    assert code == "ok" or code in CODES
    assert took < WORST_S, (contract.name, arguments)
    if code == "ok":
        wrong = compile_schema(contract.returns).violations(result.content)
        assert not wrong, (contract.name, arguments, wrong[:3])
    if code != "ok" or contract.effect == "reads":
        assert end_state(session) == before, (contract.name, arguments)
    assert not seen.forbidden, (contract.name, arguments, seen.forbidden)
    own = str(Path(tempfile.gettempdir()).absolute() / "fcbench-session-")
    assert all(str(Path(each).absolute()).startswith(own) for each in seen.touched), (contract.name, seen.touched)
    assert contract.effect == "file" or not seen.touched, (contract.name, seen.touched)


@pytest.mark.slow
@pytest.mark.parametrize("fixture", FIXTURES)
@pytest.mark.parametrize("name", sorted(set(contracts()) & set(implementations())))
def test_drawn_calls_end_in_valid_results_or_coded_errors(
    name: ToolName, fixture: str, record_property: Callable[[str, object], None]
) -> None:
    contract, report = contracts()[name], Report()

    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def drawn(data: st.DataObject) -> None:
        session = filled_session(fixture) if data.draw(st.booleans()) else fresh(fixture)
        checked(session, contract, data.draw(calls_of(contract, session)), report)
        session.files.close()

    drawn()
    # Figures reach the summary (conftest.py) from whatever process made the calls.
    record_property("fuzz", {"tool": name, "fixture": fixture, "worst_s": report.worst_s, "codes": dict(report.codes)})


def test_the_watch_sees_what_is_written_and_where(tmp_path: Path) -> None:
    seen = watch()
    seen.touched, seen.armed = [], True
    try:
        (tmp_path / "a").write_text("x")
        (tmp_path / "a").read_text()
        (tmp_path / "b").mkdir()
    finally:
        seen.armed = False
    assert seen.touched == [str(tmp_path / "a"), str(tmp_path / "b")]


def test_a_filled_session_holds_one_thing_of_each_kind() -> None:
    state = filled_session("ecoli-d10483").state
    held = (state.edits, state.snapshots, state.changes, state.primers, state.reads, state.variants, state.signals)
    assert all(held)
    assert all((state.operons, state.databases, state.clipboard, state.tasks, state.comparisons, state.last_hits))
    assert all((state.view.highlights, state.view.bookmarks, state.view.saved, state.view.selection))
    filled_session("ecoli-d10483").state.tasks.clear()
    assert filled_session("ecoli-d10483").state.tasks

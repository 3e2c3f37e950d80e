"""Tool contracts: what a model is offered, and everything that the evaluator may tolerate.

The evaluator holds no tool names. An equivalent tool, another argument form, a neutral argument or a declared
follow-up counts only because a contract says so (PROTOCOL 3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import field

from fcbench.core.cases import Task
from fcbench.core.names import Digest, Effect, JsonObject, JsonValue, ToolName
from fcbench.core.records import Record, record_digest
from fcbench.core.schema import resolve_reference
from fcbench.errors import BadInputError

_MAX_DIGESTS = 8192
_DIGESTS: dict[int, tuple[ToolContract, Digest]] = {}
"""Digests by the identity of a contract, which is kept alive so that no identity is used twice."""


class FormValue(Record, frozen=True, kw_only=True):
    """How one argument of another form follows from an expected argument. Exactly one of the two is set."""

    argument: str | None = None
    """The expected argument whose value it takes."""
    constant: JsonValue = None
    """A fixed value (where `argument` is None)."""
    values: dict[str, JsonValue] = field(default_factory=dict)
    """Value mapping: expected string -> string of this form. A value that is not listed is taken as it is."""
    offset: int = 0
    """Added to an integer value, for a form that counts from another end."""


class ArgumentForm(Record, frozen=True, kw_only=True):
    """Another way to write the same request with the same tool.

    The form is used when a call carries all keys of `uses` and none of `replaces` that is not also in `uses`.
    """

    name: str
    replaces: tuple[str, ...]
    """Expected arguments that this form leaves out."""
    uses: dict[str, FormValue]
    """Arguments that it carries instead, each with the value that is right."""
    reason: str
    """Why both mean the same: shown to readers of a verdict."""


class Equivalent(Record, frozen=True, kw_only=True):
    """Another tool that covers the same capability under a condition."""

    tool: ToolName
    """The tool that may be called instead of the one that declares this."""
    when: JsonObject = field(default_factory=dict)
    """Expected arguments that must have these values; a key that must be absent has null."""
    arguments: dict[str, FormValue] = field(default_factory=dict)
    """What the other call must carry: its argument -> the value that follows from ours."""
    reason: str
    """Why the answer is the same: shown to readers of a verdict."""


class Derived(Record, frozen=True, kw_only=True):
    """A place of the synthetic answer that follows from the call: a number, or as many letters, or given letters.

    The number is `offset` plus and minus what the arguments say: the bases of a range are `plus: [end], minus: [start],
    offset: 1`. Where an argument that is named is not there (and has no default), or the number lies below `least`, the
    place keeps what stood there.
    """

    plus: tuple[str, ...] = ()
    """Arguments whose whole numbers are added; one may come twice."""
    minus: tuple[str, ...] = ()
    """Arguments whose whole numbers are taken away."""
    size: str | None = None
    """Argument whose letters or entries are counted and added."""
    offset: int = 0
    least: int = 1
    """A number below this is none."""
    most: int | None = None
    """A number above this is cut to it."""
    letters: str | None = None
    """Alphabet: instead of the number as many of its letters, drawn by chance."""
    above: int | None = None
    """Instead of the number: whether it is more than this."""
    dna: str | None = None
    """Argument whose letters stand there as DNA is written: upper case, T for U. Nothing else is set then."""


class Repeated(Record, frozen=True, kw_only=True):
    """A list of the synthetic answer that has one entry for each entry of an argument.

    The entries that stand there serve in turn. An entry of the argument that is an object gives its values for the keys
    that ours has; any other one stands at `key`.
    """

    argument: str
    key: str | None = None
    numbered: str | None = None
    """Key of an id such as `ann-1`, whose number counts the entries."""


class Synthetic(Record, frozen=True, kw_only=True):
    """How the contract harness answers: a value that satisfies `returns`, with these places fixed."""

    echo: dict[str, str] = field(default_factory=dict)
    """JSON Pointer in the result -> argument whose value stands there."""
    constants: dict[str, JsonValue] = field(default_factory=dict)
    """JSON Pointer in the result -> fixed value."""
    derived: dict[str, Derived] = field(default_factory=dict)
    """JSON Pointer in the result -> how its value follows from the arguments."""
    repeated: dict[str, Repeated] = field(default_factory=dict)
    """JSON Pointer to a list in the result -> the argument whose entries it answers one by one."""
    computed: bool = False
    """Whether the tool's own function answers, which then depends on the arguments alone; the other fields describe
    the answer of golden runs, which no tool is asked for."""


class ToolContract(Record, frozen=True, kw_only=True):
    """One tool: what goes to the model, and what the evaluator needs to judge a call of it."""

    name: ToolName
    version: int
    category: str
    description: str
    """For the model: what the tool does and returns. No orders to the model."""
    parameters: JsonObject
    """JSON Schema 2020-12 of the arguments: a plain, closed object at the root."""
    returns: JsonObject
    """JSON Schema 2020-12 of the result."""
    effect: Effect
    """What a call changes: nothing (`reads`), the `view`, the `session`, the `project` or a `file`."""
    capability: str
    """What a user gets from it; tools that share a capability are instances of it."""
    language: str = "en"
    """Language of the field names (ISO 639-1)."""
    equivalents: tuple[Equivalent, ...] = ()
    argument_forms: tuple[ArgumentForm, ...] = ()
    neutral_arguments: tuple[str, ...] = ()
    """Arguments that may be added freely: they change how much is shown, not what is done."""
    follow_ups: tuple[ToolName, ...] = ()
    """Tools whose call is the usual next step after this one, and therefore tolerated."""
    lookalikes: tuple[ToolName, ...] = ()
    """Tools that only reading tells apart: for authors and for the confusion table, without effect on a verdict."""
    synthetic: Synthetic = field(default_factory=Synthetic)
    portability: Literal["portable", "full"] = "portable"
    """`full`: the schema uses unions, conditionals or `$ref`, which some providers refuse."""
    imported_from: str | None = None
    """Where an imported contract comes from; such contracts are exempt from gates of naming and style."""

    @property
    def properties(self) -> dict[str, JsonValue]:
        """Schemas of the arguments by name."""
        found = self.parameters.get("properties")
        return found if isinstance(found, dict) else {}

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the required arguments."""
        found = self.parameters.get("required")
        return tuple(str(name) for name in found) if isinstance(found, list) else ()

    @property
    def defaults(self) -> JsonObject:
        """Declared default values by argument, a `$ref` at the root of an argument followed."""
        found: JsonObject = {}
        for name, schema in self.properties.items():
            try:
                resolved = resolve_reference(self.parameters, schema)
            except KeyError:
                continue
            for each in (schema, resolved):
                if isinstance(each, dict) and "default" in each:
                    found.setdefault(name, each["default"])
        return found

    @property
    def changes_state(self) -> bool:
        """Whether a call changes the session, the project or a file (view changes are judged apart: PROTOCOL 3, 6)."""
        return self.effect in ("session", "project", "file")


def contract_digest(contract: ToolContract) -> Digest:
    """SHA-256 of the contract's canonical JSON: the hash that a lock file records for one tool."""
    return record_digest(contract)


def by_key(contracts: Iterable[ToolContract]) -> dict[ToolName, ToolContract]:
    """Contracts by the key under which a set of them is looked up, sorted by name, then digest.

    The key is the name where the set has one contract of that name, else the contract's digest. A contract that comes
    twice, letter for letter, stands there once.
    """
    every = list(contracts)
    counts = Counter(one.name for one in every)
    alone = [(one.name, "", one) for one in every if counts[one.name] == 1]
    shared = {_digest_of(one): one for one in every if counts[one.name] > 1}
    left = Counter(one.name for one in shared.values())
    keyed = [(one.name, digest if left[one.name] > 1 else "", one) for digest, one in shared.items()]
    ordered = sorted((*alone, *keyed), key=lambda each: each[:2])
    return {ToolName(digest or name): one for name, digest, one in ordered}


def contracts_of(task: Task, contracts: Mapping[ToolName, ToolContract]) -> Mapping[ToolName, ToolContract]:
    """The contracts that a task's tool names stand for.

    Args:
        task: an imported task names its contracts by digest; any other one by name.
        contracts: a registry's or a package's, as `by_key` gives them.

    Returns:
        The mapping itself for a task that names no digest; else a small one of its tools, the contracts shared.

    Raises:
        BadInputError: a contract that the task names is not there, or has another digest or name.
    """
    if not task.contracts:
        return contracts
    return {name: _named(task, name, digest, contracts) for name, digest in task.contracts.items()}


def _named(task: Task, name: ToolName, digest: Digest, contracts: Mapping[ToolName, ToolContract]) -> ToolContract:
    found = contracts.get(ToolName(digest)) or contracts.get(name)
    if found is None:
        said = "no contract of this digest or name"
    elif _digest_of(found) != digest:
        said = f"{found.name} with the digest {_digest_of(found)[:12]}"
    elif found.name != name:
        said = f"this digest under the name {found.name}"
    else:
        return found
    raise BadInputError(
        f"the contract of {name} that this task names is not there",
        wanted=f"a contract named {name} with the digest {digest[:12]}",
        found=said,
        where=task.id,
        next_step="import the data again: cases and contracts belong together",
    )


def _digest_of(contract: ToolContract) -> Digest:
    known = _DIGESTS.get(id(contract))
    if known is not None:
        return known[1]
    if len(_DIGESTS) >= _MAX_DIGESTS:
        _DIGESTS.clear()
    digest = contract_digest(contract)
    _DIGESTS[id(contract)] = (contract, digest)
    return digest

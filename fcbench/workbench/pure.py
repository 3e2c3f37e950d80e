"""Tools whose answer depends on the arguments alone: the contract harness asks them for the true value.

Every machine must give the same answer for ever, since a package is verified by answering its calls again. So only
functions on an engine of the core install are pure, none that reads a catalogue which grows with the engine's releases
(restriction enzymes), and each is bound to the interface for which it was written: a contract of the same name with
other schemas, which a foreign package may hold, gets no answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn, cast

from msgspec.structs import replace

from fcbench.core.canonical import digest
from fcbench.core.contracts import ToolContract
from fcbench.core.evidence import CallResult
from fcbench.core.names import Digest, JsonObject, JsonValue, ToolName
from fcbench.errors import FcbenchError
from fcbench.workbench.dispatch import call
from fcbench.workbench.session import Session

PURE: Mapping[ToolName, Digest] = {
    ToolName("align_sequences"): Digest("15031c07a86bf1a623b55ffea6465342a1991f120fc6151c9d3eabe5965747dc"),
    ToolName("calculate_gc_content"): Digest("748ca7f22d197385fb8dd06c74d1e378602c4711abfc40df55070b94f057f9c3"),
    ToolName("detect_sequence_type"): Digest("eb6a1b553b611b3329cc57ccd087e4cd2d65d52591b30ad62cf22701d3ff159f"),
    ToolName("molecular_weight"): Digest("85f465908f20e91d8613af5b0d7106be29ac71b3127647d7326f838edf73ecdb"),
    ToolName("reverse_complement"): Digest("25f84bb80af06bf6e82432e76748bb6a0e960be245669d4e511294c02bb40b38"),
    ToolName("sequence_entropy"): Digest("921e073409543b992fb12915ca3bca9848f977f15f519b1e2e86fd90bb8d532f"),
    ToolName("simulate_gel"): Digest("2898ca0741f533ebe942ceb2d02ef1488c20e0f352f134f8036df005ad583c59"),
    ToolName("translate_dna"): Digest("15292d67fd7bf9953398c6131e09281f78276801a837c17dd1eb7a201eaa53fa"),
}
"""Tool -> its interface. Whoever changes what a function answers raises the contract's `version`, and with it this."""
_WORDING = frozenset({"description", "title", "examples"})


class _NoSession:
    """Stands where a session would: a function that asks for anything of it is not pure."""

    def __getattr__(self, name: str) -> NoReturn:
        raise FcbenchError("a tool that should depend on its arguments alone asked for the session", found=name)


def interface_digest(contract: ToolContract) -> Digest:
    """SHA-256 over what decides an answer: version, parameters and result schema, descriptions left out."""
    return digest([contract.version, _bare(contract.parameters), _bare(contract.returns)])


def _bare(schema: JsonValue, *, names: bool = False) -> JsonValue:
    """A schema without its wording; below `properties` keys are names of properties and stay."""
    if isinstance(schema, dict):
        kept = {key: value for key, value in schema.items() if names or key not in _WORDING}
        return {key: _bare(value, names=key in ("properties", "$defs") and not names) for key, value in kept.items()}
    return [_bare(item) for item in schema] if isinstance(schema, list) else schema


def is_answered(contract: ToolContract) -> bool:
    """Whether a function of this release answers a contract that says `computed`."""
    return contract.name in PURE and PURE[contract.name] == interface_digest(contract)


def computed_answer(contract: ToolContract, arguments: JsonObject) -> CallResult | None:
    """The true answer to a call whose arguments satisfy the schema; None where no function of this release gives it.

    An answer may be an error, for letters that are none of the molecule, for instance. No engine is named: all
    releases that may be installed answer alike.
    """
    if not is_answered(contract):
        return None
    return replace(call(cast(Session, _NoSession()), contract, arguments), engine=None)

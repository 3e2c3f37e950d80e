"""Compiled parameter schemas, found by the identity of a contract's schema.

`core.schema.compile_schema` finds a schema by its canonical JSON, which costs more than judging a call. Contracts are
frozen and shared by all cases of a run, so the identity of the schema object is enough here; the cache keeps the object
alive, so that an identity is never used twice.
"""

from __future__ import annotations

from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject
from fcbench.core.schema import CompiledSchema, compile_schema

_MAX_CACHED = 4096
_CACHE: dict[int, tuple[JsonObject, CompiledSchema]] = {}


def parameters_schema(contract: ToolContract) -> CompiledSchema:
    """The compiled JSON Schema of a contract's parameters.

    Raises:
        BadInputError: the contract's schema is not a valid JSON Schema.
    """
    known = _CACHE.get(id(contract.parameters))
    if known is not None:
        return known[1]
    compiled = compile_schema(contract.parameters, where=f"parameters of {contract.name}")
    if len(_CACHE) >= _MAX_CACHED:
        _CACHE.clear()
    _CACHE[id(contract.parameters)] = (contract.parameters, compiled)
    return compiled

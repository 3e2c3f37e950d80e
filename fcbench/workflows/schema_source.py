"""Which contract JSON is checked against: one of the project's registries, or a schema file of the user's."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path

from fcbench.core.canonical import MAX_BYTES, parse_json
from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue, ToolName
from fcbench.core.records import from_plain
from fcbench.core.schema import compile_schema
from fcbench.core.yaml12 import load_yaml
from fcbench.errors import BadInputError, NotFoundError, UsageError
from fcbench.registry import Registry, load_registries
from fcbench.workflows.project import find_project

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_CONTRACT_FIELDS = {"name", "parameters", "returns", "effect"}


class Contracts:
    """The contracts of a project, found by name."""

    def __init__(self, project: Path | None, registry: str | None) -> None:
        registries = load_registries(find_project(project).tools_registry)
        if registry is not None and registry not in registries:
            raise NotFoundError(
                "there is no registry of this name",
                wanted=", ".join(sorted(registries)),
                found=registry,
                where="--registry",
                next_step=_nearest(registry, registries),
            )
        self._registries = registries if registry is None else {registry: registries[registry]}

    def find(self, name: str) -> ToolContract:
        """The one contract of a name.

        Raises:
            NotFoundError: no registry has it; the nearest names are given.
            UsageError: several registries have it.
        """
        found = {
            key: each.contracts[ToolName(name)] for key, each in self._registries.items() if name in each.contracts
        }
        if not found:
            raise NotFoundError(
                "there is no tool of this name",
                wanted=f"a tool of {', '.join(sorted(self._registries))}",
                found=name[:80],
                where="--tool",
                next_step=_nearest(name, _names(self._registries)),
            )
        if len(found) > 1:
            raise UsageError(
                "several registries have a tool of this name",
                wanted="--registry with one of them",
                found=", ".join(sorted(found)),
                where="--tool",
                next_step=f"add --registry {min(found)}",
            )
        return next(iter(found.values()))


def _names(registries: Mapping[str, Registry]) -> list[str]:
    return sorted({str(name) for registry in registries.values() for name in registry.contracts})


def _nearest(name: str, known: Mapping[str, object] | list[str]) -> str | None:
    found = difflib.get_close_matches(name[:80], list(known), n=3, cutoff=0.5)
    return f"did you mean {' or '.join(found)}?" if found else None


def read_contract(path: Path) -> ToolContract:
    """The tool contract in a file, or a contract around the JSON Schema in it (YAML, or strict JSON in `*.json`).

    Raises:
        NotFoundError: the file cannot be read.
        BadInputError: it is neither a JSON Schema 2020-12 nor a tool contract.
    """
    document = None if path.suffix.lower() == ".json" else load_yaml(path)
    value = read_value(path) if document is None else document.value
    if isinstance(value, dict) and value.keys() >= _CONTRACT_FIELDS:
        contract = document.read(ToolContract) if document else from_plain(value, ToolContract, where=str(path))
    else:
        contract = around(as_schema(value, str(path)), ToolName(path.stem))
    compile_schema(contract.parameters, where=str(path))
    return contract


def around(schema: JsonObject, name: ToolName) -> ToolContract:
    """A contract that has nothing but a name and a schema; the schema's root may be of any type."""
    return ToolContract(
        name=name,
        version=1,
        category="",
        description="",
        parameters=schema,
        returns={},
        effect="reads",
        capability="",
        portability="full",
    )


def is_bare(contract: ToolContract) -> bool:
    """Whether a contract was made by `around`, so that its name is the file's."""
    return not contract.capability


def as_schema(value: JsonValue, where: str) -> JsonObject:
    """A value as a JSON Schema 2020-12; whether it compiles is not looked at.

    Raises:
        BadInputError: it is neither an object nor true or false, or names another dialect.
    """
    if isinstance(value, bool):
        return {} if value else {"not": {}}
    if not isinstance(value, dict):
        raise BadInputError(
            "this is no JSON Schema",
            wanted="an object, true or false",
            found=type(value).__name__,
            where=where,
        )
    dialect = value.get("$schema", DIALECT)
    if not isinstance(dialect, str) or dialect.rstrip("#") != DIALECT:
        raise BadInputError(
            "the schema is written in another dialect",
            wanted=DIALECT,
            found=str(dialect)[:200],
            where=f"{where}, field /$schema",
            next_step="convert the schema, or take $schema out if it means the same in 2020-12",
        )
    return value


def read_value(path: Path) -> JsonValue:
    """What a file holds: strict JSON in `*.json`, else YAML.

    Raises:
        NotFoundError: the file cannot be read.
        BadInputError: it is not one value of its kind.
    """
    if path.suffix.lower() != ".json":
        return load_yaml(path).value
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as failure:
        raise NotFoundError(
            "the file cannot be read", wanted="a readable schema file", found=failure.strerror, where=str(path)
        ) from failure
    return parse_json(raw, where=str(path))

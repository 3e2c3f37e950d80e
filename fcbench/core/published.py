"""JSON Schemas of records, written to `docs/reference/schemas/` so that other programs can read our files.

Run `python -m fcbench.core.published docs/reference/schemas` after a record has changed; a test compares. Modules
above the core are named on the command line behind the folder.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

import fcbench.core
from fcbench.core.names import JsonObject
from fcbench.core.records import Record

DRAFT = "https://json-schema.org/draft/2020-12/schema"
ANY: JsonObject = {"description": "Any JSON value."}
"""What stands for a free JSON value: everything satisfies it."""


def core_modules() -> tuple[str, ...]:
    """Names of all modules of the core, sorted."""
    return tuple(sorted(f"fcbench.core.{module.name}" for module in pkgutil.iter_modules(fcbench.core.__path__)))


def record_classes(modules: Iterable[str]) -> tuple[type[Record], ...]:
    """The public record classes that the named modules define, sorted by name."""
    found: dict[str, type[Record]] = {}
    for name in modules:
        for value in vars(importlib.import_module(name)).values():
            mine = isinstance(value, type) and issubclass(value, Record) and value.__module__ == name
            if mine and value is not Record and not value.__name__.startswith("_"):
                found[value.__name__] = value
    return tuple(found[name] for name in sorted(found))


def record_schema(kind: type[Record]) -> JsonObject:
    """The JSON Schema of one record; a free JSON value is `ANY`."""
    schema: JsonObject = msgspec.json.schema(kind, schema_hook=lambda _: dict(ANY))
    definitions = schema.get("$defs")
    if isinstance(definitions, dict):
        for name, definition in definitions.items():
            owner = _class_named(kind, name)
            if owner is not None and isinstance(definition, dict):
                _describe(definition, owner)
    return {"$schema": DRAFT, **schema}


def _class_named(kind: type[Record], name: str) -> type[Record] | None:
    found = [each for each in _all_records(Record) if each.__name__ == name]
    return next((each for each in found if each is kind), found[0] if found else None)


def _all_records(base: type[Record]) -> Iterable[type[Record]]:
    for each in base.__subclasses__():
        yield each
        yield from _all_records(each)


def _describe(definition: JsonObject, kind: type[Record]) -> None:
    """Add the text under each field as its description."""
    properties = definition.get("properties")
    if not isinstance(properties, dict):
        return
    encoded = dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))
    for name, text in field_texts(kind).items():
        field = properties.get(encoded.get(name, name))
        if isinstance(field, dict):
            field["description"] = text


def field_texts(kind: type[Record]) -> dict[str, str]:
    """The docstring under each field of a record, read from its source."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    texts: dict[str, str] = {}
    name = None
    for node in tree.body if isinstance(tree, ast.ClassDef) else ():
        if name and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            texts[name] = inspect.cleandoc(str(node.value.value))
        name = node.target.id if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else None
    return texts


def schema_text(kind: type[Record]) -> str:
    """The file's content for one record."""
    return json.dumps(record_schema(kind), indent=2, ensure_ascii=False) + "\n"


def publish(folder: Path, modules: Iterable[str]) -> tuple[Path, ...]:
    """Write one file a record, and remove files of records that are gone.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for kind in record_classes(modules):
        path = folder / f"{kind.__name__}.json"
        path.write_text(schema_text(kind), encoding="utf-8")
        written.append(path)
    for path in folder.glob("*.json"):
        if path not in written:
            path.unlink()
    return tuple(written)


def main(arguments: Sequence[str]) -> int:
    """`FOLDER [MODULE ...]`: publish the core's records and those of further modules."""
    if not arguments:
        sys.stderr.write("usage: python -m fcbench.core.published FOLDER [MODULE ...]\n")
        return 64
    publish(Path(arguments[0]), (*core_modules(), *arguments[1:]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

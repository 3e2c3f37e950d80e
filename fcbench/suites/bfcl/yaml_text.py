"""Foreign values as YAML 1.2 that reads back as they are."""

from __future__ import annotations

import re

import yaml

from fcbench.core.names import JsonValue

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*( [A-Za-z0-9_]+){0,12}")
"""Texts that may stand without quotes; PyYAML still quotes those that are words of YAML, such as `no`."""


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Quotes every text that could read as something else: PyYAML knows the words of YAML 1.1 only."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if _PLAIN.fullmatch(value) else '"')


_Dumper.add_representer(str, _text)


def yaml_text(value: JsonValue) -> str:
    """One document, keys in their order; anchors are never used."""
    return str(yaml.dump(_copied(value), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110))


def _copied(value: JsonValue) -> JsonValue:
    """The value with no part shared: PyYAML writes a shared part once and refers to it."""
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    return [_copied(part) for part in value] if isinstance(value, list | tuple) else value

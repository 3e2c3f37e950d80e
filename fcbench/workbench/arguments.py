"""Arguments of a call, typed: they satisfy the contract's schema, and its defaults are filled in."""

from __future__ import annotations

from collections.abc import Mapping

from fcbench.core.contracts import ToolContract
from fcbench.core.names import JsonObject, JsonValue


class Arguments:
    """Reads values by name. A wrong type here is a fault of the contract or the tool, never of the model."""

    def __init__(self, values: Mapping[str, JsonValue]) -> None:
        self._values = values

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def value(self, name: str) -> JsonValue:
        """The value as it came; None where it was left out and has no default."""
        return self._values.get(name)

    def text(self, name: str, otherwise: str | None = None) -> str:
        """A string."""
        found = self._values.get(name, otherwise)
        if not isinstance(found, str):
            raise TypeError(f"{name} is no string: {found!r}")
        return found

    def integer(self, name: str, otherwise: int | None = None) -> int:
        """A whole number; JSON Schema takes 3.0 for one as well."""
        found = self._values.get(name, otherwise)
        if isinstance(found, bool) or not isinstance(found, int | float) or found != int(found):
            raise TypeError(f"{name} is no whole number: {found!r}")
        return int(found)

    def number(self, name: str, otherwise: float | None = None) -> float:
        """A number."""
        found = self._values.get(name, otherwise)
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise TypeError(f"{name} is no number: {found!r}")
        return float(found)

    def flag(self, name: str, otherwise: bool | None = None) -> bool:
        """A boolean."""
        found = self._values.get(name, otherwise)
        if not isinstance(found, bool):
            raise TypeError(f"{name} is no boolean: {found!r}")
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings; empty where it was left out."""
        found = self._values.get(name)
        if not isinstance(found, list | None) or not all(isinstance(item, str) for item in found or ()):
            raise TypeError(f"{name} is no list of strings: {found!r}")
        return tuple(str(item) for item in found or ())

    def objects(self, name: str) -> tuple[Arguments, ...]:
        """A list of objects; empty where it was left out."""
        found = self._values.get(name)
        if not isinstance(found, list | None):
            raise TypeError(f"{name} is no list: {found!r}")
        return tuple(self._object(name, item) for item in found or ())

    @staticmethod
    def _object(name: str, item: JsonValue) -> Arguments:
        if not isinstance(item, dict):
            raise TypeError(f"{name} holds something that is no object: {item!r}")
        return Arguments(item)

    def optional_text(self, name: str) -> str | None:
        """A string, or None where it was left out."""
        return self.text(name) if name in self else None

    def optional_integer(self, name: str) -> int | None:
        """A whole number, or None where it was left out."""
        return self.integer(name) if name in self else None

    def optional_number(self, name: str) -> float | None:
        """A number, or None where it was left out."""
        return self.number(name) if name in self else None

    @property
    def sequence_id(self) -> str | None:
        """The accession meant; None for the sequence in view."""
        return self.optional_text("sequence_id")


def arguments_for(contract: ToolContract, given: JsonObject) -> Arguments:
    """The arguments of a call with the contract's defaults where a key was left out."""
    return Arguments({**contract.defaults, **given})

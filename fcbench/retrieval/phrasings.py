"""Requests that users make, by tool: `phrasings/CATEGORY.yaml`; two more authors: `second_voice/`, `third_voice/`.

`phrasings/steps/` and `third_steps/` hold clauses of longer requests. The requests were written from the contracts
alone, blind to every case. The clauses were written blind to the suites of the board, by someone who knew the
development data, and so were those of `phrasings/goals/`, which tell a step of a longer request as a goal. What the
third author knew stands in docs/reference/retrieval.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from fcbench.core.names import JsonValue
from fcbench.core.yaml12 import load_yaml

_FOLDER = Path(__file__).with_name("phrasings")


@lru_cache(maxsize=1)
def phrasings() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """(category, tool) -> requests that the tool answers.

    Raises:
        BadInputError: a file is not a mapping of tools to lists of texts.
    """
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for path in sorted(_FOLDER.rglob("*.yaml")):
        document = load_yaml(path, name=path.name)
        value = document.value
        if not isinstance(value, dict):
            raise document.complain("requests are listed by tool", wanted="a mapping of tools to lists of texts")
        for tool, requests in value.items():
            found[path.stem, tool] = (*found.get((path.stem, tool), ()), *_texts(requests))
    return found


def _texts(requests: JsonValue) -> tuple[str, ...]:
    return tuple(one for one in requests if isinstance(one, str)) if isinstance(requests, list) else ()


def phrasings_of(name: str, category: str) -> tuple[str, ...]:
    """The requests of one tool; a tool of the same name in another category is another tool and has none."""
    return phrasings().get((category, name), ())


__all__ = ["phrasings", "phrasings_of"]

"""File names from ids. An id is never trusted as a path."""

from __future__ import annotations

import re
from functools import lru_cache

from fcbench.core.canonical import digest_text

MAX_READABLE = 60
"""Letters of an id that stay readable in its file name."""
_CLEAN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LOOKS_SUFFIXED = re.compile(r"-[0-9a-f]{8}$")


@lru_cache(maxsize=1 << 16)
def slug(text: str) -> str:
    """A file name of [a-z0-9-] for any text.

    A text that is a slug already stays as it is. Any other gets the first letters of its digest as a suffix, so that
    two texts never share a file; a text that looks suffixed gets one too, so that nobody can aim at another's file.
    """
    if len(text) <= MAX_READABLE and _CLEAN.fullmatch(text) and not _LOOKS_SUFFIXED.search(text):
        return text
    readable = re.sub(r"[^a-z0-9]+", "-", text[: MAX_READABLE * 2].lower())[:MAX_READABLE].strip("-")
    return f"{readable or 'x'}-{digest_text(text)[:8]}"


def attempt_path(run: str, case: str, repeat: int) -> str:
    """Path of an attempt page in the site, from the slug of its run."""
    return f"attempts/{run}/{slug(case)}-r{repeat}.html"


def case_path(case: str) -> str:
    """Path of a case page."""
    return f"cases/{slug(case)}.html"


def same_case_path(case: str) -> str:
    """Script with every run of a case."""
    return f"data/cases/{slug(case)}.js"


def model_path(model: str) -> str:
    """Path of a model page."""
    return f"models/{slug(model)}.html"


def compare_path(board: str) -> str:
    """Page that compares the runs of a board, given by the slug of its key.

    `#a=RUN&b=RUN`, ids of runs as in a query, chooses two of them.
    """
    return f"compare/{slug(board)}.html"


def tool_path(name: str) -> str:
    """Page of a tool."""
    return f"tools/{slug(name)}.html" if slug(name) != "index" else "tools/index-tool.html"


def failures_path(model: str) -> str:
    """Where the raw records of a model's failed attempts lie."""
    return f"data/failures-{slug(model)}.jsonl.gz"


def relative(target: str, page: str) -> str:
    """A link from one page of the site to another place of it, without a leading slash."""
    return "../" * page.count("/") + target

"""A dataset of a hub, downloaded for as long as it is read."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fcbench.errors import NotFoundError
from fcbench.export.card import CARD
from fcbench.export.croissant import CROISSANT
from fcbench.export.hub import Hub
from fcbench.export.marker import MARKER

_REPO = re.compile(r"[A-Za-z0-9._-]{1,96}/[A-Za-z0-9._-]{1,96}")
PATTERNS = [CARD, CROISSANT, MARKER, "data/*/*.parquet"]
"""What of a repository is downloaded; anything else there is no part of a dataset."""


@contextmanager
def fetched(repo: str, *, revision: str | None = None, endpoint: str | None = None) -> Iterator[Path]:
    """The folder that a repository was downloaded into; it is gone afterwards.

    Raises:
        NotFoundError: neither a folder nor a repository has this name.
        UsageError: the hub refuses.
        ProviderError: the hub does not answer.
    """
    if not _REPO.fullmatch(repo):
        raise NotFoundError(
            "there is no such dataset",
            wanted="a folder that `fcbench dataset export` wrote, or OWNER/NAME on a hub",
            found="no such folder",
            where=repo[:200],
        )
    with tempfile.TemporaryDirectory(prefix="fcbench-dataset-") as scratch:
        hub = Hub(endpoint=endpoint, environment=os.environ)
        hub.download(repo, Path(scratch), patterns=PATTERNS, revision=revision)
        yield Path(scratch)

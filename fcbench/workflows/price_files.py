"""Which price file holds: the one that is named, else the project's own. One rule for every command."""

from __future__ import annotations

from pathlib import Path

from fcbench.engine.prices import PriceList, read_prices
from fcbench.workflows.project import Project, find_project

PRICES = "prices.yaml"
"""The file's name in a project's folder."""


def price_file(named: Path | None, project: Project | None = None) -> Path | None:
    """The file that is named, else `prices.yaml` in the project's folder, else None.

    Args:
        named: what `--prices` said.
        project: the project at hand; where None that of the current folder. The embedded one has no prices, since its
            own are examples.
    """
    if named is not None:
        return named
    found = project or find_project()
    own = found.root / PRICES
    return own if own.is_file() and not found.embedded else None


def find_prices(named: Path | None, project: Project | None = None) -> PriceList | None:
    """The prices of `price_file`, read.

    Raises:
        NotFoundError: the named file cannot be read.
        BadInputError: it does not hold what it should.
    """
    path = price_file(named, project)
    return None if path is None else read_prices(path)

from __future__ import annotations

import pytest

from fcbench.workflows.project import Material, find_project, load


@pytest.fixture(scope="session")
def material() -> Material:
    """The loaded project."""
    return load(find_project())

"""A run of many attempts over a bad line, ended and resumed, loses nothing and doubles nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from fcbench.workflows.project import Material
from fcbench.workflows.verify import verify
from tests.engine.faults.soak import check, soak


@pytest.mark.parametrize(("attempts", "kills"), [(300, 0), (150, 2)])
def test_many_attempts_over_a_bad_line_lose_nothing_and_double_nothing(
    material: Material, tmp_path: Path, attempts: int, kills: int
) -> None:
    soaked = soak(material, tmp_path, attempts, kills=kills)
    check(soaked, attempts, kills)
    assert verify(soaked.package.folder).problems == ()


@pytest.mark.slow
def test_20000_attempts_over_a_bad_line_lose_nothing_and_double_nothing(material: Material, tmp_path: Path) -> None:
    check(soak(material, tmp_path, 20_000, kills=3), 20_000, 3)

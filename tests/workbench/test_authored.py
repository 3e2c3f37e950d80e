"""Every row of the authored tables answers as it says."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import pytest

from fcbench.core.names import ToolName
from fcbench.workbench.engines import EXTRAS, engine_version
from fcbench.workbench.errors import CODES
from fcbench.workbench.tools import implementations
from tests.workbench.rows import Row, differences
from tests.workbench.worlds import contracts, fresh, run

FOLDER = Path(__file__).parent / "authored"


def tables() -> dict[str, tuple[Row, ...]]:
    """The rows of every module of `tests/workbench/authored`."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(FOLDER)]))
    return {name: importlib.import_module(f"tests.workbench.authored.{name}").ROWS for name in names}


ROWS = [pytest.param(row, id=f"{name}: {row.tool}: {row.id}") for name, rows in tables().items() for row in rows]


@pytest.mark.parametrize("row", ROWS)
def test_a_row_answers_as_it_says(row: Row) -> None:
    engine = implementations()[ToolName(row.tool)].engine
    if engine_version(engine) is None:
        pytest.skip(f"needs {engine} of the extra {EXTRAS[engine]}")
    session = fresh(row.fixture)
    for tool, arguments in row.before:
        before = run(session, tool, **arguments)
        assert before.status == "ok", (tool, before.content)
    result = run(session, row.tool, **row.arguments)
    assert (row.answers is None) != (row.error is None), "a row has either an answer or an error"
    if row.error is not None:
        assert isinstance(result.content, dict)
        assert (result.status, result.content["code"]) == ("error", row.error), result.content
    else:
        assert result.status == "ok", result.content
        assert not differences(result.content, row.answers, row.tolerance)


def test_every_implemented_tool_has_a_row() -> None:
    covered = {row.tool for rows in tables().values() for row in rows}
    assert not sorted(set(implementations()) - covered)


def test_rows_are_named_apart_and_expect_known_codes() -> None:
    for name, rows in tables().items():
        keys = [(row.tool, row.id) for row in rows]
        assert len(keys) == len(set(keys)), name
        assert {row.error for row in rows} - {None} <= CODES


def test_every_implementation_has_a_contract() -> None:
    assert set(implementations()) <= set(contracts())

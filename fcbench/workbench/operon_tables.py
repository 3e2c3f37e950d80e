"""Tables of operons: a name and its genes on each line, with a tab between them."""

from __future__ import annotations

import re

from fcbench.workbench.errors import ToolError

MAX_OPERONS = 5_000
MAX_GENES = 50
"""Genes of one operon."""
_NAME = re.compile(r"[A-Za-z0-9_.'()-]{1,40}")
_HEADER = ("operon", "genes")


def read_operons(text: str, *, path: str) -> dict[str, tuple[str, ...]]:
    """Operon -> its genes, in the order of the file; comments, empty lines and the header are left out.

    Raises:
        ToolError: `parse_error` with the line.
    """
    found: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#") or (not found and tuple(line.lower().split("\t")) == _HEADER):
            continue
        name, genes = _operon(line.split("\t"), f"{path}, line {number}")
        if name in found:
            raise ToolError("parse_error", f"{path}, line {number}: {name} is there twice")
        found[name] = genes
        if len(found) > MAX_OPERONS:
            raise ToolError("parse_error", f"{path} holds more than {MAX_OPERONS:,} operons")
    if not found:
        raise ToolError("parse_error", f"{path} holds no operon")
    return found


def _operon(columns: list[str], where: str) -> tuple[str, tuple[str, ...]]:
    if len(columns) != len(_HEADER):
        said = f"a line has an operon and its genes, with one tab between them; found {len(columns)} columns"
        raise ToolError("parse_error", f"{where}: {said}")
    name, genes = columns[0].strip(), tuple(gene.strip() for gene in columns[1].split(","))
    if not all(_NAME.fullmatch(each) for each in (name, *genes)) or len(genes) > MAX_GENES:
        said = f"names have 1 to 40 letters without spaces, with commas between at most {MAX_GENES} genes"
        raise ToolError("parse_error", f"{where}: {said}")
    return name, genes

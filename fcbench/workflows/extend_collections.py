"""One collection more in a project's file of collections; what stands there keeps every letter."""

from __future__ import annotations

import re
from pathlib import Path

from fcbench.core.yaml12 import parse_yaml
from fcbench.errors import SuiteError
from fcbench.suites.scaffold_files import Plan, collection_entry, yaml_of


def extended(plan: Plan, path: Path, before: bytes) -> bytes:
    """The file with one entry more at its end.

    Args:
        plan: whose collection it is.
        path: of the file, for messages.
        before: what it holds now.

    Raises:
        SuiteError: the file is written in a form to which no entry can be appended.
    """
    old = parse_yaml(before, name=str(path), error=SuiteError).value
    listed = old.get("collections") if isinstance(old, dict) else None
    entry = yaml_of({plan.suite: collection_entry(plan)})
    indents = re.findall(rb"^( +)[^\s#]", before, re.MULTILINE)
    indent = indents[0].decode() if indents else "  "
    made = before.rstrip() + b"\n" + "".join(f"{indent}{line}\n" for line in entry.splitlines()).encode()
    if isinstance(listed, dict) and _reads_as({**listed, plan.suite: collection_entry(plan)}, made):
        return made
    raise SuiteError(
        "no collection can be appended to this file",
        wanted="a mapping `collections:` in block style, as the last part of the file",
        where=str(path),
        next_step="write it so, or name a new project with --project",
    )


def _reads_as(collections: object, raw: bytes) -> bool:
    try:
        value = parse_yaml(raw, name="collections.yaml", error=SuiteError).value
    except SuiteError:
        return False
    return value == {"collections": collections}

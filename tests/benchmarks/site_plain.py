"""The peer of the site's benchmark: one Markdown page for each attempt, as anyone would write it for MkDocs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from fcbench.core.cases import Case
from fcbench.core.evidence import Attempt
from fcbench.packages.store import find_packages, open_package

SETTINGS = """site_name: plain
use_directory_urls: false
theme:
  name: material
  font: false
plugins: [search]
markdown_extensions: [tables, admonition, attr_list, md_in_html]
{nav}
"""


def write(runs: Path, home: Path, *, in_navigation: bool) -> Path:
    """Write the pages and their settings.

    Returns:
        Path of `mkdocs.yml`.
    """
    pages = home / "docs"
    pages.mkdir(parents=True)
    (pages / "index.md").write_text("# Attempts\n")
    names = ["index.md"]
    for folder in find_packages(runs):
        package = open_package(folder)
        for attempt in package.attempts():
            name = f"{folder.name}-{attempt.task_id}-r{attempt.repeat}.md"
            (pages / name).write_text("\n".join(_lines(package.cases[attempt.task_id], attempt)) + "\n")
            names.append(name)
    nav = "nav:\n" + "\n".join(f"  - {name}" for name in (names if in_navigation else names[:1]))
    settings = home / "mkdocs.yml"
    settings.write_text(SETTINGS.format(nav=nav + "\nvalidation:\n  nav:\n    omitted_files: ignore"))
    return settings


def _lines(case: Case, attempt: Attempt) -> Iterator[str]:
    yield from (
        f"# {attempt.task_id}, repeat {attempt.repeat}",
        "",
        f"> {case.task.instruction}",
        "",
        "## Expected",
        "",
    )
    for step in case.oracle.calls:
        yield from (f"`{step.tool}`", "", *_fenced(step.arguments))
    yield from ("## Candidates", "", "| rank | tool | score |", "|--:|---|--:|")
    yield from (f"| {one.rank} | `{one.name}` | {one.score} |" for one in attempt.candidates)
    for turn in attempt.rounds:
        yield from ("", f"## Round {turn.number}", "", f"{turn.started_at}, {turn.duration_s} s", "", turn.text, "")
        for call in turn.calls:
            yield from (f"### {call.name}: {call.result.status}", "", *_fenced(call.arguments))
            yield from _fenced(call.result.content)
    yield from ("## Hashes", "", f"`{attempt.started_at}`", "")


def _fenced(value: object) -> list[str]:
    return ["```json", json.dumps(value, indent=2, ensure_ascii=False), "```", ""]


def stub_of_documentation(written: Path, docs: Path) -> Path:
    """Documentation that holds only the pages which hand-written ones lead to, so that its own time is left out."""
    text = "".join(page.read_text() for page in sorted(written.glob("*.md")))
    for name in {"index.md", *re.findall(r"\(docs/([a-z0-9/-]+\.md)", text)}:
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text("# Stub\n")
    return docs

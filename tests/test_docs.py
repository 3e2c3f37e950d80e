from __future__ import annotations

import re
import shlex
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import pytest

from fcbench.cli.main import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
COMMAND = re.compile(r"(?:\.venv/bin/)?(fcbench .+?)(?:\s+#.*)?$")


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ +(.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def command_lines() -> list[str]:
    found = []
    for page in PAGES:
        for block in re.findall(r"^ *```sh\n(.*?)^ *```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            # A command may go on over several lines, as a shell reads it.
            for line in re.sub(r" *\\\n *", " ", block).splitlines():
                match = COMMAND.fullmatch(line.strip().rpartition("&& ")[2])
                if match:
                    found.append(match[1])
    return sorted(set(found))


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, fragment = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.exists(), f"{target} in {page_id(page)}"
        if fragment:
            assert fragment in anchors(path), f"{target} in {page_id(page)}"


def test_every_page_is_reached_from_the_index() -> None:
    seen, queue = set(), [ROOT / "docs/index.md", ROOT / "README.md"]
    while queue:
        page = queue.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target):
                path = (page.parent / target.partition("#")[0]).resolve()
                if path.is_file():
                    queue.append(path)
    assert [page_id(page) for page in PAGES if page not in seen] == []


def test_there_are_commands_to_check() -> None:
    assert len(command_lines()) > 10


@cache
def help_of(command: tuple[str, ...]) -> str:
    """The help of one command: the pages show most commands many times, and rendering it is what costs."""
    shown = StringIO()
    with redirect_stdout(shown):
        assert main([*command, "--help"]) == 0, command
    return shown.getvalue()


@pytest.mark.parametrize("line", command_lines())
def test_every_command_that_the_documentation_shows_exists(line: str) -> None:
    # A placeholder such as <run id> is one word to a reader.
    words = shlex.split(re.sub(r"<[^>]*>", "PLACE", line))[1:]
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    grouped = words[0] in ("site", "dataset", "export", "import", "registry", "suite", "workbench", "package", "review")
    shown = help_of(tuple(words[:2] if grouped else words[:1]))
    for option in options:
        assert re.search(rf"{re.escape(option)}\b", shown), f"{option} of `{line}`"

"""The tool's documentation as part of the site: the pages of `docs/` below `docs/`, and the list of JSON Schemas."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fcbench.core.names import JsonValue
from fcbench.errors import NotFoundError
from fcbench.packages.store import read_json_file
from fcbench.site.environment import render
from fcbench.site.pages import HubPage
from fcbench.site.slugs import relative

HOME = "docs"
"""Folder of the documentation in the site."""
SECTIONS = (
    ("Tutorial", "tutorial"),
    ("How-to", "how-to"),
    ("Reference", "reference"),
    ("Explanation", "explanation"),
    ("Decisions", "explanation/decisions"),
)
"""Title -> folder below `docs/`, in the order of the navigation."""
SCHEMAS = "reference/schemas"
_LINK = re.compile(r"\]\((\.\./[^)#\s]+)")
"""Targets of Markdown links that lead upwards."""
Navigation = str | dict[str, "Navigation | list[Navigation]"]


@dataclass(frozen=True, kw_only=True)
class Document:
    """One file of the documentation."""

    path: str
    """Where it lies among the site's sources: `docs/how-to/sweep.md`."""
    source: Path

    @property
    def is_page(self) -> bool:
        """Whether it is Markdown that becomes a page; any other file is copied as it is."""
        return self.path.endswith(".md")


def documents(folder: Path) -> tuple[Document, ...]:
    """Every file of a documentation folder, hidden ones left out, and the files beside it that its pages link to.

    The latter keep their place in the repository: a page that names `../../CHANGELOG.md` finds it in the site as well.
    A link to what is not there stays broken, and the build names it.

    Raises:
        NotFoundError: the folder has no `index.md`.
    """
    if not (folder / "index.md").is_file():
        raise NotFoundError("this folder holds no documentation", wanted="index.md", where=str(folder))
    own = tuple(
        Document(path=f"{HOME}/{place.as_posix()}", source=folder / place)
        for place in sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
        if not any(part.startswith(".") for part in place.parts)
    )
    beside = sorted({place for one in own if one.is_page for place in _outside(one)})
    root = folder.absolute().parent
    return (*own, *(Document(path=place, source=root / place) for place in beside if (root / place).is_file()))


def _outside(page: Document) -> Iterator[str]:
    """Files outside the documentation that a page links to, by their path in the repository."""
    for target in _LINK.findall(page.source.read_text(encoding="utf-8")):
        place = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), target))
        # A README would take the place of the first page.
        if not place.startswith((f"{HOME}/", "../", "/")) and place not in ("README.md", "index.md"):
            yield place


def navigation(folder: Path) -> list[Navigation]:
    """The documentation's part of the navigation: its first page, then one group for each kind of page."""
    found: list[Navigation] = [{"Overview": f"{HOME}/index.md"}]
    for title, name in SECTIONS:
        pages: list[Navigation] = [
            f"{HOME}/{name}/{page.name}" for page in sorted((folder / name).glob("*.md"), key=_order)
        ]
        if name == "reference" and (folder / SCHEMAS).is_dir():
            pages.append(f"{HOME}/{SCHEMAS}/index.md")
        if pages:
            found.append({title: pages})
    return found


def _order(page: Path) -> tuple[bool, str]:
    """An overview first, then by name."""
    return page.name != "README.md", page.name


@dataclass(frozen=True, kw_only=True)
class SchemaLine:
    """One JSON Schema of a public record."""

    file: str
    name: str
    meaning: str


def schemas_page(folder: Path) -> HubPage | None:
    """The list of JSON Schemas of all public records; None where there are none.

    Raises:
        BadInputError: a schema is no JSON object.
    """
    lines = tuple(_schema_lines(folder / SCHEMAS))
    if not lines:
        return None
    path = f"{HOME}/{SCHEMAS}/index.html"
    return HubPage(
        path=path,
        title="JSON Schemas",
        description=f"JSON Schemas of the {len(lines)} public records of fcbench: cases, contracts, verdicts.",
        body=render("schemas", root=relative("", path), lines=lines),
        in_section=True,
    )


def _schema_lines(folder: Path) -> Iterator[SchemaLine]:
    for file in sorted(folder.glob("*.json")):
        yield SchemaLine(file=file.name, name=file.stem, meaning=_meaning(read_json_file(file), file.stem))


def _meaning(schema: JsonValue, name: str) -> str:
    """First sentence of a schema's description."""
    definitions = schema.get("$defs") if isinstance(schema, dict) else None
    own = definitions.get(name) if isinstance(definitions, dict) else schema
    described = own.get("description") if isinstance(own, dict) else None
    return described.split("\n\n")[0].replace("\n", " ") if isinstance(described, str) else ""

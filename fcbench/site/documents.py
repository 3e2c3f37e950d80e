"""The tool's documentation as part of the site: the pages of `docs/` below `docs/`, and the list of JSON Schemas."""

from __future__ import annotations

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
    """Every file of a documentation folder, hidden ones left out, sorted by path.

    Raises:
        NotFoundError: the folder has no `index.md`.
    """
    if not (folder / "index.md").is_file():
        raise NotFoundError("this folder holds no documentation", wanted="index.md", where=str(folder))
    return tuple(
        Document(path=f"{HOME}/{place.as_posix()}", source=folder / place)
        for place in sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
        if not any(part.startswith(".") for part in place.parts)
    )


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

"""The page of changes: which version of a registry or suite came when, and what it touched."""

from __future__ import annotations

from dataclasses import dataclass

from fcbench.site.board_page import board_path
from fcbench.site.data import SiteData
from fcbench.site.environment import render
from fcbench.site.pages import HubPage
from fcbench.site.slugs import case_path, model_path, relative, tool_path
from fcbench.site.tool_use import MAX_REGISTRY
from fcbench.site.versions import Version, registry_versions, suite_versions, touched

PATH = "changes.html"
MAX_NAMES = 60
"""Names of one list."""
MAX_VERSIONS = 30
"""Versions of one registry or collection, the newest."""


@dataclass(frozen=True, kw_only=True)
class VersionView:
    """One version on the page."""

    version: Version
    cases: tuple[tuple[str, str], ...]
    """(case, page) that a change of tools touched."""
    models: tuple[tuple[str, str], ...]
    boards: tuple[tuple[str, str], ...]


def changes_page(data: SiteData) -> HubPage:
    """Registries and collections, each with its versions, the newest first."""
    body = render(
        "changes",
        root=relative("", PATH),
        registries=_views(data, registry_versions(data), is_registry=True),
        suites=_views(data, suite_versions(data), is_registry=False),
        tools={name: tool_path(name) for name in _tools(data)},
        cases={task_id: case_path(task_id) for task_id in data.cases},
        most=MAX_NAMES,
    )
    description = "Versions of registries and suites as published runs used them, and what each change touched."
    return HubPage(path=PATH, title="Changes", description=description, body=body)


def _tools(data: SiteData) -> set[str]:
    """Tools with a page."""
    shown = {str(name) for run in data.runs for name in run.package.contracts}
    for contracts in data.registries.values():
        if len(contracts) <= MAX_REGISTRY:
            shown |= {str(contract.name) for contract in contracts}
    return shown


def _views(data: SiteData, found: dict[str, list[Version]], *, is_registry: bool) -> dict[str, list[VersionView]]:
    return {
        name: [_view(data, version, is_registry=is_registry) for version in reversed(versions[-MAX_VERSIONS:])]
        for name, versions in found.items()
    }


def _view(data: SiteData, version: Version, *, is_registry: bool) -> VersionView:
    keys = {run.manifest.header.key for run in version.runs}
    boards = [
        (f"{board.key.run.collection}, {board.key.tier.replace('-', ' ')}", board_path(board))
        for board in data.boards
        if board.key.run in keys
    ]
    models = dict.fromkeys(run.model for run in version.runs)
    return VersionView(
        version=version,
        cases=tuple((case, case_path(case)) for case in touched(version)) if is_registry else (),
        models=tuple((model, model_path(model)) for model in models),
        boards=tuple(boards),
    )

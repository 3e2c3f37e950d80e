"""The list of all files for download."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fcbench.site.board_page import board_path
from fcbench.site.data import SiteData
from fcbench.site.environment import render
from fcbench.site.leaderboard import board_files, in_order
from fcbench.site.pages import Asset, HubPage
from fcbench.site.slugs import failures_path, model_path, relative

PATH = "downloads.html"


@dataclass(frozen=True, kw_only=True)
class BoardFiles:
    """The files of one board."""

    label: str
    page: str
    steered: bool
    files: tuple[tuple[str, str, int], ...]
    """(form, path, bytes)."""


@dataclass(frozen=True, kw_only=True)
class ModelFile:
    """The failures of one model."""

    model: str
    page: str
    control: bool
    path: str
    size: int


def downloads_page(data: SiteData, assets: Iterable[Asset]) -> HubPage:
    """All tables of boards and all failures of models, with their sizes.

    Args:
        data: what the site shows.
        assets: the files that the site brings.
    """
    sizes = {asset.path: len(asset.content) for asset in assets}
    boards = tuple(
        BoardFiles(
            label=f"{board.key.run.collection}, {board.key.tier.replace('-', ' ')}, {board.key.run.harness} harness",
            page=board_path(board),
            steered=board.steered,
            files=tuple((form, path, sizes[path]) for form, path in board_files(board)),
        )
        for board in in_order(data.boards)
    )
    models = tuple(
        ModelFile(
            model=model,
            page=model_path(model),
            control=runs[0].is_control,
            path=failures_path(model),
            size=sizes[failures_path(model)],
        )
        for model, runs in data.models.items()
        if failures_path(model) in sizes
    )
    return HubPage(
        path=PATH,
        title="Downloads",
        description="Tables of all boards as CSV, Parquet and JSON, and the raw records of all failed attempts.",
        body=render("downloads", root=relative("", PATH), boards=boards, models=models),
        in_section=True,
    )

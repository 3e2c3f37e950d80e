"""All pages of a site: the one place that knows every kind of page."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator

from fcbench.errors import BadInputError
from fcbench.site.attempt_page import attempt_pages
from fcbench.site.board_page import board_pages
from fcbench.site.case_page import case_pages, cases_page
from fcbench.site.compare_page import compare_pages
from fcbench.site.data import RunView, SiteData
from fcbench.site.failure_page import failures_page
from fcbench.site.fault_page import faults_page
from fcbench.site.leaderboard import leaderboard
from fcbench.site.model_page import model_pages, models_page
from fcbench.site.pages import Asset, SitePages, theme_assets
from fcbench.site.tool_page import tool_pages


def build_pages(data: SiteData) -> SitePages:
    """Every page and file that comes from the data; lean pages are not rendered yet.

    Raises:
        BadInputError: two pages would share a file, as when one package was given twice.
    """
    board, downloads = leaderboard(data)
    tools, each_tool = tool_pages(data)
    compared, each_board, compared_data = compare_pages(data)
    lean = (*attempt_pages(data), *case_pages(data), *model_pages(data), *board_pages(data), *each_tool, *each_board)
    explorer, rows = failures_page(data)
    hubs = (board, explorer, models_page(data), cases_page(data), faults_page(data), tools, compared)
    assets = (*theme_assets(), *downloads, rows, *_failures(data), *compared_data)
    seen: set[str] = set()
    for path in (*(one.path for one in lean), *(one.path for one in hubs), *(one.path for one in assets)):
        if path in seen:
            raise BadInputError(
                "two pages would share one file", wanted="each package once", found=path, where="the packages given"
            )
        seen.add(path)
    return SitePages(lean=lean, hubs=hubs, assets=assets)


def failures_path(run: RunView) -> str:
    """Where the raw records of a run's failed attempts lie."""
    return f"data/failures-{run.slug}.jsonl.gz"


def _failures(data: SiteData) -> Iterator[Asset]:
    """The raw records of each run's failed attempts, one file a run instead of one an attempt."""
    for run in data.runs:
        failed = [key for key in run.entries if run.status(*key).kind == "fail"]
        if failed:
            yield Asset(path=failures_path(run), content=_gzip(run.raw_attempt(*key) for key in failed))


def _gzip(lines: Iterator[bytes]) -> bytes:
    stream = io.BytesIO()
    # Without a time stamp, so that the same records give the same bytes.
    with gzip.GzipFile(fileobj=stream, mode="wb", mtime=0, compresslevel=6) as packed:
        for line in lines:
            packed.write(line + b"\n")
    return stream.getvalue()

"""All pages of a site: the one place that knows every kind of page."""

from __future__ import annotations

from fcbench.errors import BadInputError
from fcbench.site.attempt_page import attempt_pages
from fcbench.site.board_page import board_pages
from fcbench.site.case_page import case_pages, cases_page
from fcbench.site.changes_page import changes_page
from fcbench.site.compare_page import compare_pages
from fcbench.site.data import SiteData
from fcbench.site.downloads_page import downloads_page
from fcbench.site.failure_files import failure_files
from fcbench.site.failure_page import failures_page
from fcbench.site.fault_page import faults_page
from fcbench.site.leaderboard import leaderboard
from fcbench.site.model_page import model_pages, models_page
from fcbench.site.numbers_page import numbers_pages
from fcbench.site.pages import Asset, SitePages, theme_assets
from fcbench.site.review_page import review_page
from fcbench.site.same_case import same_case_files
from fcbench.site.state import PATH as STATE
from fcbench.site.state import State, changes, next_state, snapshot, state_bytes
from fcbench.site.tool_page import tool_pages


def build_pages(data: SiteData, earlier: State | None = None) -> SitePages:
    """Every page and file that comes from the data; lean pages are not rendered yet.

    Args:
        data: what the site shows.
        earlier: the state of an earlier build, so that the leaderboard says what changed.

    Raises:
        BadInputError: two pages would share a file, as when one package was given twice.
    """
    state = next_state(snapshot(data), earlier)
    board, downloads = leaderboard(data, changes(state))
    tools, each_tool = tool_pages(data)
    compared, each_board, compared_data = compare_pages(data)
    lean = (
        *attempt_pages(data),
        *case_pages(data),
        *model_pages(data),
        *board_pages(data),
        *numbers_pages(data),
        *each_tool,
        *each_board,
    )
    explorer, rows = failures_page(data)
    lists = (models_page(data), cases_page(data), faults_page(data), tools, compared)
    assets = (*theme_assets(), *downloads, rows, *failure_files(data), *compared_data)
    assets = (*assets, Asset(path=STATE, content=state_bytes(state)))
    hubs = (board, explorer, *lists, review_page(data), changes_page(data), downloads_page(data, assets))
    assets = (*assets, *same_case_files(data))
    seen: set[str] = set()
    for path in (*(one.path for one in lean), *(one.path for one in hubs), *(one.path for one in assets)):
        if path in seen:
            raise BadInputError(
                "two pages would share one file", wanted="each package once", found=path, where="the packages given"
            )
        seen.add(path)
    return SitePages(lean=lean, hubs=hubs, assets=assets)

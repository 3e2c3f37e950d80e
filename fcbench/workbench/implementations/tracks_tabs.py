"""Tabs, and which tracks are shown."""

from __future__ import annotations

from dataclasses import replace

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.annotations import one_line
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.results import listing
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool
from fcbench.workbench.view import FIRST_WIDTH, TRACKS, Range, Tab, names_there


@tool("open_tab", engine="session", provenance="state")
def open_tab(session: Session, arguments: Arguments) -> JsonObject:
    """A further tab, in front."""
    front = session.view.tab
    shown = _shown(session, front) if arguments.flag("copy_current_view") else _first_bases(session)
    tab = Tab(id=session.mint("tab"), title=one_line(arguments.text("title"), "title"), shown=shown)
    session.view.tabs.append(tab)
    session.view.active = tab.id
    return _described(session, tab)


@tool("switch_tab", engine="session", provenance="state")
def switch_tab(session: Session, arguments: Arguments) -> JsonObject:
    """Another tab comes to the front."""
    tab = _tab(session, arguments.text("tab_id"))
    session.view.active = tab.id
    return _described(session, tab)


@tool("close_tab", engine="session", provenance="state")
def close_tab(session: Session, arguments: Arguments) -> JsonObject:
    """A tab goes; a neighbour takes its place in front.

    Raises:
        ToolError: `not_found`, or `bad_argument` for the last tab.
    """
    view = session.view
    tab = _tab(session, arguments.text("tab_id", view.active))
    if len(view.tabs) == 1:
        raise ToolError("bad_argument", f"{tab.id} is the only open tab, and one tab always stays open")
    at = view.tabs.index(tab)
    view.tabs = [each for each in view.tabs if each is not tab]
    if view.active == tab.id:
        view.active = view.tabs[max(0, at - 1)].id
    return {"closed_tab_id": tab.id, "front_tab_id": view.active, "remaining": len(view.tabs)}


@tool("list_tabs", engine="session", provenance="state")
def list_tabs(session: Session, arguments: Arguments) -> JsonObject:
    """The tabs from left to right."""
    view = session.view
    tabs: list[JsonValue] = [{**_described(session, tab), "in_front": tab.id == view.active} for tab in view.tabs]
    return listing("tabs", tabs)


@tool("get_track_status", engine="session", provenance="state")
def get_track_status(session: Session, arguments: Arguments) -> JsonObject:
    """Which tracks are shown."""
    tracks: list[JsonValue] = [{"track": track, "visible": session.view.visible[track]} for track in TRACKS]
    return listing("tracks", tracks)


@tool("set_track_visibility", engine="session", provenance="state")
def set_track_visibility(session: Session, arguments: Arguments) -> JsonObject:
    """Show or hide a track."""
    track, visible = arguments.text("track"), arguments.flag("visible")
    session.view.visible[track] = visible
    return {"track": track, "visible": visible}


def _first_bases(session: Session) -> Range | None:
    """What a genome shows when it is opened; None while none is open."""
    if session.state.genome is None:
        return None
    first = session.records[0]
    return Range(first.id, 1, min(FIRST_WIDTH, first.length))


def _tab(session: Session, tab_id: str) -> Tab:
    for tab in session.view.tabs:
        if tab.id == tab_id:
            return tab
    raise ToolError("not_found", f"no open tab has the id {tab_id}; {names_there(tab.id for tab in session.view.tabs)}")


def _shown(session: Session, tab: Tab) -> Range | None:
    """The range of a tab; an end that edits have cut off is the last base instead."""
    if tab.shown is None:
        return None
    last = session.record(tab.shown.sequence_id).length
    return replace(tab.shown, start=min(tab.shown.start, last), end=min(tab.shown.end, last))


def _described(session: Session, tab: Tab) -> JsonObject:
    shown = _shown(session, tab)
    tab_result: JsonObject = {"tab_id": tab.id, "title": tab.title}
    if shown is None:
        return tab_result
    return {**tab_result, "sequence_id": shown.sequence_id[:40], "start": shown.start, "end": shown.end}

"""Marks, bookmarks and the selection: what points at places without moving the view."""

from __future__ import annotations

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.annotations import one_line
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.results import letters_result, listing, shown_symbol
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool
from fcbench.workbench.view import Highlight, Range, Selection, names_there


@tool("highlight_region", engine="session", provenance="state")
def highlight_region(session: Session, arguments: Arguments) -> JsonObject:
    """Paint a mark over a range."""
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    label = one_line(arguments.text("label"), "label") if "label" in arguments else ""
    mark = Highlight(
        id=session.mint("hl"),
        range=Range(record.id, start, end),
        color=arguments.text("color"),
        label=label,
    )
    session.view.highlights.append(mark)
    return {"highlight_id": mark.id, "start": start, "end": end}


@tool("list_highlights", engine="session", provenance="state")
def list_highlights(session: Session, arguments: Arguments) -> JsonObject:
    """The marks in the order in which they were painted."""
    marks: list[JsonValue] = [
        {"highlight_id": mark.id, **_place(mark.range), "color": mark.color, "label": mark.label}
        for mark in session.view.highlights
    ]
    return listing("highlights", marks)


@tool("remove_highlight", engine="session", provenance="state")
def remove_highlight(session: Session, arguments: Arguments) -> JsonObject:
    """Take one mark off."""
    wanted = arguments.text("highlight_id")
    marks = session.view.highlights
    mark = next((each for each in marks if each.id == wanted), None)
    if mark is None:
        raise ToolError("not_found", f"no mark has the id {wanted}; {names_there(each.id for each in marks)}")
    marks.remove(mark)
    return {"highlight_id": mark.id, "start": mark.range.start, "end": mark.range.end, "remaining": len(marks)}


@tool("clear_highlights", engine="session", provenance="state")
def clear_highlights(session: Session, arguments: Arguments) -> JsonObject:
    """Take every mark off."""
    removed = len(session.view.highlights)
    session.view.highlights.clear()
    return {"removed": removed}


@tool("add_bookmark", engine="session", provenance="state")
def add_bookmark(session: Session, arguments: Arguments) -> JsonObject:
    """Keep a range under a name."""
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    name, place = one_line(arguments.text("name"), "name"), Range(record.id, start, end)
    replaced = name in session.view.bookmarks
    session.view.bookmarks[name] = place
    return {"name": name, **_place(place), "replaced": replaced}


@tool("list_bookmarks", engine="session", provenance="state")
def list_bookmarks(session: Session, arguments: Arguments) -> JsonObject:
    """The bookmarks in order of place, then of name."""
    kept = sorted(
        session.view.bookmarks.items(), key=lambda item: (item[1].sequence_id, item[1].start, item[1].end, item[0])
    )
    items: list[JsonValue] = [{"name": name, **_place(place)} for name, place in kept]
    return listing("bookmarks", items)


@tool("select_region", engine="session", provenance="state")
def select_region(session: Session, arguments: Arguments) -> JsonObject:
    """Select a range."""
    record, start, end = session.span(arguments.integer("start"), arguments.integer("end"), arguments.sequence_id)
    place = Range(record.id, start, end)
    session.view.selection = Selection(place)
    return {**_place(place), "length": place.width}


@tool("select_gene", engine="session", provenance="state")
def select_gene(session: Session, arguments: Arguments) -> JsonObject:
    """Select the range of a gene; over the origin where the gene crosses it."""
    record, gene = session.gene(arguments.text("gene_name"))
    place = Range(record.id, gene.start, gene.end)
    session.view.selection = Selection(place, gene.name)
    length = len(record.bases_of_arc(place.start, place.end))
    return {"gene": shown_symbol(gene.symbol), **_place(place), "length": length}


@tool("get_selection", engine="session", provenance="state")
def get_selection(session: Session, arguments: Arguments) -> JsonObject:
    """What is selected, with its bases; what edits have cut off the sequence is no longer part of it.

    Raises:
        ToolError: `bad_range`: the sequence has become shorter than the place that was selected.
    """
    selection = session.view.selection
    if selection is None:
        return {"selected": False}
    record = session.record(selection.range.sequence_id)
    start, end = selection.range.start, min(selection.range.end, record.length)
    if start > record.length:
        raise ToolError(
            "bad_range", f"the selection began at {start}; edits have shortened {record.id} to {record.length} bases"
        )
    letters = letters_result(record.bases_of_arc(start, end))
    shown = letters if arguments.flag("include_sequence") else {"length": letters["length"]}
    return {
        "selected": True,
        "gene": shown_symbol(selection.gene),
        "sequence_id": record.id[:40],
        "start": start,
        "end": end,
        **shown,
    }


def _place(place: Range) -> JsonObject:
    return {"sequence_id": place.sequence_id[:40], "start": place.start, "end": place.end}

"""The range in view: moving it, its zoom, and stored views."""

from __future__ import annotations

from fcbench.core.names import JsonObject
from fcbench.workbench.annotations import one_line
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.genes import Gene
from fcbench.workbench.records import SequenceRecord
from fcbench.workbench.results import shown_symbol
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool
from fcbench.workbench.view import LEAST_WIDTH, Range, names_there, window


@tool("navigate_to_position", engine="session", provenance="state")
def navigate_to_position(session: Session, arguments: Arguments) -> JsonObject:
    """Centre the view on one base; the width stays unless the call gives one."""
    record, position = session.position(arguments.integer("position"), arguments.sequence_id)
    _, start, end = session.shown_range()
    return _show(session, record, *window(position, arguments.integer("width", end - start + 1), record.length))


@tool("go_to_gene", engine="session", provenance="state")
def go_to_gene(session: Session, arguments: Arguments) -> JsonObject:
    """Centre the view on a gene; as many bases as before."""
    record, gene = session.gene(arguments.text("gene_name"))
    _, start, end = session.shown_range()
    middle = (gene.start + (_bases(record, gene) - 1) // 2 - 1) % record.length + 1
    return {
        "gene": shown_symbol(gene.symbol),
        **_show(session, record, *window(middle, end - start + 1, record.length)),
    }


@tool("zoom_to_gene", engine="session", provenance="state")
def zoom_to_gene(session: Session, arguments: Arguments) -> JsonObject:
    """Fit a gene with its margins into the view.

    Margins end at the edges of the sequence. A gene across the origin has its ends at both edges, so that the whole
    sequence comes into view.
    """
    record, gene = session.gene(arguments.text("gene_name"))
    margin = _rounded(_bases(record, gene) * arguments.number("margin_percent") / 100)
    first, last = max(1, gene.start - margin), min(record.length, gene.end + margin)
    if gene.main.wraps:
        first, last = 1, record.length
    elif last - first + 1 < LEAST_WIDTH:
        first, last = window((first + last) // 2, LEAST_WIDTH, record.length)
    return {"gene": shown_symbol(gene.symbol), **_show(session, record, first, last)}


@tool("zoom_in", engine="session", provenance="state")
def zoom_in(session: Session, arguments: Arguments) -> JsonObject:
    """Fewer bases around the same centre."""
    return _zoom(session, 1 / arguments.number("factor"))


@tool("zoom_out", engine="session", provenance="state")
def zoom_out(session: Session, arguments: Arguments) -> JsonObject:
    """More bases around the same centre; moved inside the sequence at its edges."""
    return _zoom(session, arguments.number("factor"))


@tool("pan_view", engine="session", provenance="state")
def pan_view(session: Session, arguments: Arguments) -> JsonObject:
    """Move the view by a share of its width, up to the edge of the sequence."""
    record, start, end = session.shown_range()
    width = end - start + 1
    way = 1 if arguments.text("direction") == "right" else -1
    step = max(1, _rounded(width * arguments.number("amount_percent") / 100))
    first = min(max(1, start + way * step), record.length - width + 1)
    last = first + width - 1
    return {**_show(session, record, first, last), "at_edge": last == record.length if way == 1 else first == 1}


@tool("get_view_state", engine="session", provenance="state")
def get_view_state(session: Session, arguments: Arguments) -> JsonObject:
    """What the tab in front shows."""
    record, start, end = session.shown_range()
    tab = session.view.tab
    return {
        "sequence_id": record.id[:40],
        "sequence_length": record.length,
        "start": start,
        "end": end,
        "width": end - start + 1,
        "tab_id": tab.id,
        "title": tab.title,
        "has_selection": session.view.selection is not None,
    }


@tool("save_view", engine="session", provenance="state")
def save_view(session: Session, arguments: Arguments) -> JsonObject:
    """Store the range in view under a name."""
    name = one_line(arguments.text("name"), "name")
    record, start, end = session.shown_range()
    replaced = name in session.view.saved
    session.view.saved[name] = Range(record.id, start, end)
    return {"name": name, "sequence_id": record.id[:40], "start": start, "end": end, "replaced": replaced}


@tool("restore_view", engine="session", provenance="state")
def restore_view(session: Session, arguments: Arguments) -> JsonObject:
    """Show a stored view again, moved inside the sequence where that has become shorter."""
    name = one_line(arguments.text("name"), "name")
    stored = session.view.saved.get(name)
    if stored is None:
        raise ToolError("not_found", f"no stored view has this name; {names_there(session.view.saved)}")
    record = session.record(stored.sequence_id)
    width = min(stored.width, record.length)
    start = min(stored.start, record.length - width + 1)
    return {"name": name, "sequence_id": record.id[:40], **_show(session, record, start, start + width - 1)}


def _show(session: Session, record: SequenceRecord, first: int, last: int) -> JsonObject:
    """Show a range in the tab in front; what the tools answer about it."""
    session.view.show(Range(record.id, first, last))
    return {"start": first, "end": last}


def _zoom(session: Session, factor: float) -> JsonObject:
    record, start, end = session.shown_range()
    width = max(LEAST_WIDTH, _rounded((end - start + 1) * factor))
    first, last = window((start + end) // 2, width, record.length)
    return {**_show(session, record, first, last), "width": last - first + 1}


def _bases(record: SequenceRecord, gene: Gene) -> int:
    """Bases from the first to the last of a gene, introns included; on over the origin where it crosses that."""
    return gene.end - gene.start + 1 + (record.length if gene.main.wraps else 0)


def _rounded(number: float) -> int:
    """To the nearest whole number, halves up."""
    return int(number + 0.5)

"""Files of lines: features as GFF3 and BED, hits of a similarity search as CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, fields

from fcbench.core.names import JsonObject
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.bed import bed_lines
from fcbench.workbench.errors import ToolError
from fcbench.workbench.gff import gff_text
from fcbench.workbench.project import Hit
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool


@tool("export_gff", engine="python")
def export_gff(session: Session, arguments: Arguments) -> JsonObject:
    """The features of all sequences as GFF3."""
    kinds = arguments.texts("feature_types")
    text, features = gff_text(session.records, kinds, with_sequence=arguments.flag("include_sequence"))
    path = session.files.write_text(arguments.text("file_path"), text, folder=session.state.folder)
    return {"file_path": path, "sequences": len(session.records), "features": features}


@tool("export_bed", engine="python")
def export_bed(session: Session, arguments: Arguments) -> JsonObject:
    """Features of all sequences, or those that overlap the view, as BED."""
    kinds = arguments.texts("feature_types")
    if arguments.text("scope") == "view":
        record, start, end = session.shown_range()
        pairs = [(record, [feature for feature in record.entries if feature.overlaps(start, end)])]
    else:
        pairs = [(record, list(record.entries)) for record in session.records]
    kept = [(record, [each for each in found if not kinds or each.kind in kinds]) for record, found in pairs]
    lines = [line for record, found in kept for line in bed_lines(record, found)]
    text = "".join(f"{line}\n" for line in lines)
    path = session.files.write_text(arguments.text("file_path"), text, folder=session.state.folder)
    return {"file_path": path, "features": sum(len(found) for _, found in kept), "lines": len(lines)}


@tool("export_similarity_hits", engine="python")
def export_similarity_hits(session: Session, arguments: Arguments) -> JsonObject:
    """The hits of the last similarity search."""
    hits, wanted = session.state.last_hits, arguments.text("file_format")
    if hits is None:
        raise ToolError("bad_argument", "no similarity search was run in this session, so there are no hits to write")
    rows = [asdict(hit) for hit in hits]
    text = json.dumps(rows, indent=2) + "\n" if wanted == "json" else _csv_text(rows)
    path = session.files.write_text(arguments.text("file_path"), text, folder=session.state.folder)
    return {"file_path": path, "file_format": wanted, "hits": len(rows)}


def _csv_text(rows: list[dict[str, object]]) -> str:
    """A header line and one line a hit."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [field.name for field in fields(Hit)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()

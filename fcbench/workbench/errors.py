"""What a tool answers when it cannot do what it was asked: one of a closed list of codes.

A `ToolError` is the model's or the data's doing and becomes an error result. Any other exception of a tool is a fault
of ours and ends the attempt as `harness_error`.
"""

from __future__ import annotations

from typing import Literal, get_args

Code = Literal[
    "no_genome",
    "unknown_sequence",
    "bad_range",
    "gene_not_found",
    "ambiguous_gene",
    "bad_sequence",
    "bad_argument",
    "unknown_enzyme",
    "not_found",
    "empty_queue",
    "overlapping_edits",
    "ref_mismatch",
    "file_not_found",
    "path_refused",
    "parse_error",
    "engine_unavailable",
    "not_in_extract",
]
"""Why a tool answers an error.

`no_genome`: no genome is open. `unknown_sequence`: the open genome has no sequence of this accession. `bad_range`: a
place lies outside the sequence, or an end before its start. `gene_not_found`: no gene has the name, or the gene has not
what was asked for. `ambiguous_gene`: several genes have the name. `bad_sequence`: the letters are none of the alphabet.
`bad_argument`: arguments that satisfy the schema contradict each other. `unknown_enzyme`: not in the enzyme list.
`not_found`: no feature, tab, mark, bookmark, task, primer, database or edit of this id or name. `empty_queue`: no edit
is pending, or no batch can be undone. `overlapping_edits`: two pending edits touch the same bases. `ref_mismatch`: the
genome holds other bases than the call or file says. `file_not_found`: the fixture has no such file. `path_refused`: the
path leaves the folder. `parse_error`: the file is not what its format says. `engine_unavailable`: the library is not
installed. `not_in_extract`: the shipped extract of a catalogue does not hold the entry.
"""
CODES: frozenset[str] = frozenset(get_args(Code))


class ToolError(Exception):
    """A coded error of a tool; the message says what would be right."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

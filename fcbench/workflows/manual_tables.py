"""Ratings through a spreadsheet: one CSV a rater, one for the consensus."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fcbench.errors import BadInputError
from fcbench.packages.files import write_whole
from fcbench.suites.manual import TOP, rating_problem
from fcbench.workflows.csv_cells import csv_text, read_cell, read_csv
from fcbench.workflows.manual_session import Folder, Rating

RATING_COLUMNS = ("item", "case", "instruction", "answer", "criterion", "question", "anchors", "rating", "note")
CONSENSUS_COLUMNS = ("item", "case", "answer", "criterion", "question", "rating_1", "rating_2", "rating", "note")
_READ = ("item", "criterion", "rating", "note")


def export_ratings(folder: Folder, rater: str, path: Path) -> int:
    """Write a rater's sheet: one row an item and criterion, in the rater's own order; returns the number of rows.

    Raises:
        UsageError: this person may not rate here.
        WriteError: the file cannot be written.
    """
    folder.join(rater)
    given = folder.ratings(rater)
    rows: list[tuple[object, ...]] = []
    for item in folder.order(rater):
        case = folder.case_of(item)
        own = given.get(item.item)
        for one in case.rubric:
            anchors = "\n".join(f"{number}: {text}" for number, text in enumerate(one.anchors))
            rated = own.ratings[one.name] if own else None
            # The long texts stand once, so that a sheet stays readable.
            first = one is case.rubric[0]
            texts = (case.instruction, item.text) if first else ("", "")
            rows.append(
                (item.item, case.id, *texts, one.name, one.question, anchors, rated, own.note if own and first else "")
            )
    write_whole(path, ("\ufeff" + csv_text(RATING_COLUMNS, rows)).encode())
    return len(rows)


def import_ratings(folder: Folder, rater: str, path: Path) -> tuple[int, int]:
    """Take over a rater's sheet; an item without any rating is left open. Returns items rated, items in all.

    Raises:
        UsageError: this person may not rate here.
        BadInputError: a cell is no rating, or an item is rated in part; nothing is taken over.
        WriteError: the folder cannot be written.
    """
    folder.join(rater)
    items = {item.item: item for item in folder.session.items}
    wanted = {name: {one.name for one in folder.case_of(item).rubric} for name, item in items.items()}
    found = _sheet(path, wanted)
    for name, rating in found.items():
        problem = rating_problem(folder.case_of(items[name]), rating.ratings)
        if problem:
            raise BadInputError("an item is rated in part", found=f"{name}: {problem}", where=str(path))
    merged = {**folder.ratings(rater), **found}
    folder.save(rater, merged)
    return len(merged), len(items)


def export_consensus(folder: Folder, path: Path) -> int:
    """Write the sheet for the consensus: one row for each criterion that the two raters see differently.

    Raises:
        UsageError: the two have not finished.
        WriteError: the file cannot be written.
    """
    first, second = folder.done_by_two()
    differing, agreed = folder.differing(), folder.consensus()
    items = {item.item: item for item in folder.session.items}
    rows: list[tuple[object, ...]] = []
    for name in sorted(differing):
        questions = {one.name: one.question for one in folder.case_of(items[name]).rubric}
        for criterion in differing[name]:
            both = (first[name].ratings[criterion], second[name].ratings[criterion])
            settled = agreed[name].ratings.get(criterion) if name in agreed else None
            text = items[name].text if criterion == differing[name][0] else ""
            rows.append((name, items[name].case, text, criterion, questions[criterion], *both, settled, ""))
    write_whole(path, ("\ufeff" + csv_text(CONSENSUS_COLUMNS, rows)).encode())
    return len(rows)


def import_consensus(folder: Folder, path: Path) -> tuple[int, int]:
    """Take over the sheet of the consensus. Returns items settled, items that differ.

    Raises:
        UsageError: the two have not finished.
        BadInputError: a cell is no rating, or an item is settled in part; nothing is taken over.
        WriteError: the folder cannot be written.
    """
    differing = folder.differing()
    found = _sheet(path, {name: set(names) for name, names in differing.items()})
    for name, rating in found.items():
        if set(rating.ratings) != set(differing[name]):
            raise BadInputError("an item is settled in part", found=name, where=str(path))
    merged = {**folder.consensus(), **found}
    folder.save_consensus(merged)
    return len(merged), len(differing)


def _sheet(path: Path, wanted: Mapping[str, set[str]]) -> dict[str, Rating]:
    """Ratings by item; rows without a rating are passed over."""
    ratings: dict[str, dict[str, int]] = {}
    notes: dict[str, str] = {}
    for line, row in read_csv(path, _READ):
        item, criterion, cell = (read_cell(row[name]).strip() for name in ("item", "criterion", "rating"))
        problem = None
        if criterion not in wanted.get(item, ()):
            problem = f"no such item or criterion: {item[:40]}, {criterion[:40]}"
        elif cell and cell not in {str(value) for value in range(TOP + 1)}:
            problem = f"no whole number from 0 to {TOP}: {cell[:40]}"
        elif criterion in ratings.get(item, {}):
            problem = f"rated twice: {item}, {criterion}"
        if problem:
            raise BadInputError("a row of the sheet does not read", found=problem, where=f"{path}:{line}")
        if cell:
            ratings.setdefault(item, {})[criterion] = int(cell)
        note = read_cell(row["note"]).strip()
        notes[item] = "\n".join(filter(None, (notes.get(item, ""), note)))[:4000]
    return {item: Rating(item=item, ratings=each, note=notes.get(item, "")) for item, each in ratings.items()}


__all__ = ["export_consensus", "export_ratings", "import_consensus", "import_ratings"]

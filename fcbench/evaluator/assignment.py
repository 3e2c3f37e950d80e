"""The cheapest one-to-one assignment of rows to columns: the Hungarian method with potentials, O(rows² · columns).

Source: H. W. Kuhn, The Hungarian method for the assignment problem (1955), in the shortest-path form of
R. Jonker and A. Volgenant (1987).
"""

from __future__ import annotations

from collections.abc import Sequence


def cheapest(costs: Sequence[Sequence[int]]) -> tuple[int, list[int]]:
    """The least total and the column of every row. There must be at least as many columns as rows.

    Costs are whole numbers, so that equal totals are equal. The result depends on the input alone.
    """
    easy = _each_its_own(costs)
    if easy is not None:
        return sum(row[column] for row, column in zip(costs, easy, strict=True)), easy
    rows, columns = len(costs), len(costs[0])
    row_potential, column_potential = [0] * (rows + 1), [0] * (columns + 1)
    owner = [0] * (columns + 1)
    for row in range(1, rows + 1):
        _insert(row, costs, row_potential, column_potential, owner)
    chosen = [0] * rows
    for column in range(1, columns + 1):
        if owner[column]:
            chosen[owner[column] - 1] = column - 1
    return sum(row[column] for row, column in zip(costs, chosen, strict=True)), chosen


def _each_its_own(costs: Sequence[Sequence[int]]) -> list[int] | None:
    """The cheapest column of every row, where no two rows want the same: nearly all real attempts end here."""
    chosen: list[int] = []
    for row in costs:
        column = row.index(min(row))
        if column in chosen:
            return None
        chosen.append(column)
    return chosen


def _insert(row: int, costs: Sequence[Sequence[int]], ours: list[int], theirs: list[int], owner: list[int]) -> None:
    """Add one row by the shortest augmenting path. Row and column 0 are the empty ones."""
    columns = len(costs[0])
    owner[0] = row
    column = 0
    infinity = 1 << 100
    least, seen, way = [infinity] * (columns + 1), [False] * (columns + 1), [0] * (columns + 1)
    while owner[column]:
        seen[column] = True
        here, delta, following = owner[column], infinity, 0
        line, base = costs[here - 1], ours[here]
        for other in range(1, columns + 1):
            if seen[other]:
                continue
            reduced = line[other - 1] - base - theirs[other]
            if reduced < least[other]:
                least[other], way[other] = reduced, column
            if least[other] < delta:
                delta, following = least[other], other
        for other in range(columns + 1):
            if seen[other]:
                ours[owner[other]] += delta
                theirs[other] -= delta
            else:
                least[other] -= delta
        column = following
    while column:
        owner[column] = owner[way[column]]
        column = way[column]

"""Rating in a terminal: one item after another, each saved as soon as it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fcbench.cli.output import Output
from fcbench.suites.manual import TOP, Criterion, ManualCase
from fcbench.workflows.manual_session import Folder, Item, Rating

NextLine = Callable[[], str]
"""The next line with its line break; empty at the end of the input."""
SHOWN = 20_000
"""Letters of an answer that are shown; a sheet shows more."""
RULE = "-" * 72


class Desk:
    """Where a rater sits. Everything that is shown goes to stderr, through the printer that disarms it."""

    def __init__(self, printer: Output, next_line: NextLine) -> None:
        self._printer = printer
        self._next_line = next_line

    def answer_to(self, case: ManualCase) -> str | None:
        """A model's answer, pasted; None where the input ends or the person leaves."""
        self._printer.note(f"{RULE}\n{case.id}\n\n{case.instruction}\n")
        self._printer.note("Paste the answer; a line with one dot ends it, a first line `quit` leaves.")
        lines: list[str] = []
        while True:
            line = self._next_line()
            word = line.strip()
            if not line or (word == "quit" and not lines):
                return None
            if word == ".":
                return "".join(lines).rstrip("\r\n")
            lines.append(line)

    def rate(self, folder: Folder, rater: str) -> tuple[int, int]:
        """Rate what this rater has left open; returns items rated and items in all."""
        given = folder.ratings(rater)
        items = folder.order(rater)
        self._printer.note(f"{len(given)} of {len(items)} rated. 0 to {TOP} rates, ? shows the anchors, q leaves.")
        for item in items:
            if item.item in given:
                continue
            case = folder.case_of(item)
            self._show(item, case, len(given) + 1, len(items))
            ratings = self._ratings(case.rubric)
            if ratings is None:
                break
            given[item.item] = Rating(item=item.item, ratings=ratings)
            folder.save(rater, given)
        return len(given), len(items)

    def settle(self, folder: Folder) -> tuple[int, int]:
        """Settle what is open; returns items settled and items that differ."""
        first, second = folder.done_by_two()
        differing, agreed = folder.differing(), folder.consensus()
        items = {item.item: item for item in folder.session.items}
        for number, name in enumerate(sorted(differing), 1):
            if name in agreed:
                continue
            case = folder.case_of(items[name])
            self._show(items[name], case, number, len(differing))
            for one in differing[name]:
                both = f"{first[name].ratings[one]} and {second[name].ratings[one]}"
                self._printer.note(f"{one}: the two raters gave {both}")
            ratings = self._ratings(one for one in case.rubric if one.name in differing[name])
            if ratings is None:
                break
            agreed[name] = Rating(item=name, ratings=ratings)
            folder.save_consensus(agreed)
        return len(agreed), len(differing)

    def _show(self, item: Item, case: ManualCase, number: int, total: int) -> None:
        text = item.text if len(item.text) <= SHOWN else item.text[:SHOWN] + "\n[cut; a sheet shows more]"
        facts = "\n".join(f"- {fact}" for fact in case.raters_know)
        # A bar before each line: an answer cannot pass itself off as ours.
        answer = "\n".join(f"| {line}" for line in text.splitlines() or [""])
        self._printer.note(f"\n{RULE}\n{number} of {total}   {item.item}   {case.title}\n\n{case.instruction}\n")
        self._printer.note(f"For raters:\n{facts}\n\nAnswer:\n{answer}\n")

    def _ratings(self, rubric: Iterable[Criterion]) -> dict[str, int] | None:
        found: dict[str, int] = {}
        for one in rubric:
            value = self._value(one)
            if value is None:
                return None
            found[one.name] = value
        return found

    def _value(self, one: Criterion) -> int | None:
        anchors = "\n".join(f"  {number}  {text}" for number, text in enumerate(one.anchors))
        self._printer.note(f"{one.name}: {one.question}\n{anchors}")
        while True:
            self._printer.ask(f"{one.name} (0-{TOP})> ")
            line = self._next_line()
            word = line.strip()
            if not line or word in ("q", "quit"):
                return None
            if word in {str(value) for value in range(TOP + 1)}:
                return int(word)
            self._printer.note(anchors if word == "?" else f"0 to {TOP}, ? or q")

"""Would pass if: the evaluator's smallest set of changes, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fcbench.core.evidence import Attempt
from fcbench.core.names import JsonObject, JsonValue
from fcbench.evaluator import Edit, Mending
from fcbench.site.difference import in_words, is_comparator
from fcbench.site.text import clip, short

SHOWN = 5
"""Changes that stand in the open; the others are folded."""
MAX_LINES = 16
_OF_VALUES = frozenset({"set_value", "add_value", "remove_value"})
_ONCE: Mapping[str, str] = {
    "end_state": "the attempt had left behind the end state of the golden run",
    "reply_in_text": "the reply had asked for what is missing, in text",
    "in_time": "the attempt had ended within its time limit",
}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One change as a clause after "if": words, what they are about, and words again."""

    words: str = ""
    code: str = ""
    more: str = ""
    anchor: str = ""
    """Of the call, such as `r1c1`."""
    found: str = ""
    """What stands there, for a value that changes."""
    wanted: str = ""


@dataclass(frozen=True, kw_only=True)
class MendingView:
    """All changes of one attempt."""

    lines: tuple[Line, ...]
    is_whole_run: bool
    """Whether nothing short of a whole golden run was found."""
    takes_results_for_granted: bool

    @property
    def shown(self) -> tuple[Line, ...]:
        """The first few; all, where folding would hide one line only."""
        return self.lines if len(self.lines) <= SHOWN + 1 else self.lines[:SHOWN]

    @property
    def folded(self) -> tuple[Line, ...]:
        """The others, as many as a page holds."""
        return self.lines[len(self.shown) : MAX_LINES]

    @property
    def hidden(self) -> int:
        """Those that no page shows."""
        return max(0, len(self.lines) - MAX_LINES)


def mending_view(mending: Mending | None, attempt: Attempt) -> MendingView | None:
    """The changes in words, those of values first; None where there are none."""
    if mending is None:
        return None
    anchors = [f"r{turn.number}c{place}" for turn in attempt.rounds for place, _ in enumerate(turn.calls, 1)]
    return MendingView(
        lines=tuple(_lines(mending.edits, anchors)),
        is_whole_run=any(edit.kind == "golden_run" for edit in mending.edits),
        takes_results_for_granted=mending.takes_results_for_granted,
    )


def _lines(edits: Sequence[Edit], anchors: Sequence[str]) -> Iterator[Line]:
    dropped = [edit for edit in edits if edit.kind == "drop_call"]
    for edit in edits:
        anchor = anchors[edit.call] if edit.call is not None and edit.call < len(anchors) else ""
        if edit.kind in _OF_VALUES:
            yield _of_value(edit, anchor)
        elif edit.kind in _ONCE:
            yield Line(words=_ONCE[edit.kind])
        elif edit.kind != "drop_call" and edit.kind != "golden_run":
            yield _of_call(edit, anchor)
    if len(dropped) == 1:
        anchor = anchors[dropped[0].call or 0]
        yield Line(words="there were no call of", code=clip(dropped[0].tool or ""), anchor=anchor)
    elif dropped:
        names = ", ".join(dict.fromkeys(clip(edit.tool or "") for edit in dropped))
        yield Line(words=f"there were not these {len(dropped)} calls, of", code=clip(names, 300))


def _of_value(edit: Edit, anchor: str) -> Line:
    place, found = edit.pointer or "(root)", short(edit.found, 120)
    if edit.kind == "add_value":
        return Line(code=place, more="were there", anchor=anchor, wanted=_shown(edit.wanted))
    if edit.kind == "remove_value":
        return Line(code=place, more="were not there", anchor=anchor, found=found)
    return Line(code=place, more="were right", anchor=anchor, found=found, wanted=_shown(edit.wanted))


def _of_call(edit: Edit, anchor: str) -> Line:
    tool = clip(edit.tool or "")
    match edit.kind:
        case "replace_call":
            more = f"were called in place of {clip(short(edit.found, 80))}"
            return Line(code=tool, more=more, anchor=anchor, wanted=_shown(edit.wanted))
        case "add_call":
            return Line(code=tool, more="were called", wanted=_shown(edit.wanted))
        case "rewrite_arguments":
            return Line(words="the arguments were one JSON object", anchor=anchor, wanted=_shown(edit.wanted))
        case "offer_tool":
            return Line(words="retrieval had offered", code=tool)
        case "succeed":
            return Line(words="the call of", code=tool, more="had succeeded", anchor=anchor)
        case _:
            return Line(words="every step came after those that it needs, in the order of the golden run")


def _shown(wanted: JsonValue) -> str:
    return clip(in_words(wanted) if is_comparator(wanted) else short(_example(wanted)), 200)


def _example(wanted: JsonValue) -> JsonValue:
    """A value that would do: the first of several, and words where it comes from an earlier result."""
    if is_comparator(wanted):
        assert isinstance(wanted, dict)
        return f"({in_words(wanted)})" if "$from" in wanted else _first(wanted)
    if isinstance(wanted, dict):
        return {key: _example(value) for key, value in wanted.items()}
    return [_example(value) for value in wanted] if isinstance(wanted, list) else wanted


def _first(wanted: JsonObject) -> JsonValue:
    ((name, body),) = wanted.items()
    if name in ("$one_of", "$set") and isinstance(body, list):
        return _example(body[0]) if name == "$one_of" and body else [_example(one) for one in body]
    if isinstance(body, dict):
        return body.get("example", body.get("value"))
    return body

"""The page that says how far our evaluator and the checker of the source agree, and who is right where they do not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fcbench.core.canonical import clean_text
from fcbench.errors import WriteError
from fcbench.suites.bfcl import PairRow
from fcbench.workflows.crosscheck_bfcl import Agreement, Difference, Tally
from fcbench.workflows.disagreements import Cause

MAX_EXAMPLES = 2
"""Examples of one cause, each of another kind of change."""
MAX_EXAMPLE = 300
"""Letters of an example that are shown."""


@dataclass(frozen=True)
class Ruling:
    """Who is right where one cause parts the two."""

    title: str
    who: str
    why: str


RULINGS: dict[Cause, Ruling] = {
    "letter_case": Ruling(
        "The source's checker does not tell upper from lower case",
        "fcbench, on purpose.",
        "A function gets the text as it is written, and in a code, an allele or a path the case of a letter carries "
        "meaning. Where it carries none, a case says so with `$casefold`, or lists both spellings, as many cases of "
        "the source do. The value must also be a word of the function's `enum`, which the source does not look at.",
    ),
    "punctuation": Ruling(
        "The source's checker drops spaces and punctuation",
        "Neither always; fcbench differs on purpose.",
        "The source removes spaces and the characters `, . / - _ * ^`, takes a single quotation mark for a double one, "
        "and lowers the letters. That is kind to a date with another comma. It also makes `-3` and `3`, `1.5` and "
        "`15`, `a/b` and `ab` one text, and an argument of punctuation alone is an empty one. A case that wants "
        "tolerance declares it, so that a reader sees it.",
    ),
    "number_form": Ruling(
        "The source's checker tells 5.0 from 5",
        "fcbench.",
        "A call is JSON, and JSON has one kind of number: for JSON Schema 2020-12 a number without a fraction is an "
        "integer (Validation, section 6.1.1), and `$exact` holds `1` and `1.0` for equal. The source compares Python "
        "types after parsing, and not evenly: 5 is right for a float, but not inside a list of floats.",
    ),
    "truth_as_number": Ruling(
        "The source's checker takes 1 for true and 0 for false",
        "fcbench.",
        "The source compares with Python's `==`, for which `True` is 1, wherever it has not looked at the type before: "
        "inside objects, for example. As an argument of its own it refuses the same value. In JSON a truth value is no "
        "number.",
    ),
    "omission_mark": Ruling(
        'The source\'s checker takes its mark for "may be left out" as a value',
        "fcbench.",
        "The empty text in a list of accepted values says that the argument may be left out. A call that sends it is "
        "right for the source even where the function's own `enum` or type rules it out. fcbench accepts it only where "
        "the function's schema does.",
    ),
    "merged_calls": Ruling(
        "The source's checker reads one name of an entry that holds several",
        "fcbench.",
        "An entry of the source's list is one call. Where it names two functions the source looks for the expected "
        "name and never sees the other, so that a second call costs nothing.",
    ),
    "code_points": Ruling(
        "The source's checker tells a composed letter from its parts",
        "fcbench.",
        "Both print alike, and Unicode defines them as equivalent. `$exact` compares texts after NFC.",
    ),
    "greedy": Ruling(
        "The source's checker gives each expected call the first call that fits",
        "fcbench.",
        "Where the first call fits two expected ones, it may be taken from the one that has no other. fcbench looks "
        "for the best assignment as a whole.",
    ),
    "unexplained": Ruling(
        "No rule of the source's checker explains these",
        "Unknown: a fault of ours until shown otherwise.",
        "Every row below needs a look.",
    ),
}
INTRODUCTION = """# Agreement with the checker of BFCL

The Berkeley Function Calling Leaderboard (the *source* below) publishes single-turn cases with a checker of its own.
Here both judge the same attempts: the perfect answer of a case, and systematic changes of it. The page is written by
`fcbench suite crosscheck PATH --report FILE`; nothing in it is typed by hand.
"""
SCOPE = """
Values of Java and JavaScript cases are source text of those languages, not JSON, and are not compared. Our verdict is
that of the tier `native-function-contract`. A row holds no outcome of the request: a text that reports a failed
request is a text reply to both. A run of fcbench records it as `provider_error` and never judges it.
"""
METHOD = """## Why the two differ

No cause is read from the kind of change. A row that only the source accepts is judged again with one of the source's
rules applied to both sides; a row that only fcbench accepts, with one of its rules added. The first rule that makes the
verdicts meet is the cause.
"""


def write_page(agreement: Agreement, path: Path) -> None:
    """Write the page.

    Raises:
        WriteError: it cannot be written.
    """
    text = "\n".join(_page(agreement)) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise WriteError("the report cannot be written", found=error.strerror, where=str(path)) from error


def _page(agreement: Agreement) -> Iterator[str]:
    whole = agreement.all
    yield INTRODUCTION
    yield f"| rows of {_cell(agreement.source)} | |"
    yield "|---|---|"
    yield f"| all | {agreement.rows:,} |"
    yield f"| compared (Python and relevance) | {whole.rows:,} |"
    yield f"| agree | {whole.agree:,} ({whole.share}) |"
    yield f"| differ for a known reason | {len(agreement.differences) - _unknown(agreement):,} |"
    yield f"| unexplained | {len(agreement.unexplained):,} |"
    for name, count in sorted(agreement.not_covered.items()):
        yield f"| not covered: {_cell(name)} | {count:,} |"
    yield SCOPE
    yield from _kinds(agreement)
    yield from _categories(agreement)
    yield METHOD
    yield "| cause | rows | who is right |"
    yield "|---|---|---|"
    for names, found in agreement.by_causes.items():
        yield f"| {' and '.join(names)} | {len(found):,} | {' '.join(RULINGS[name].who for name in names)} |"
    yield ""
    for names, found in agreement.by_causes.items():
        yield from _cause(names, found)


def _unknown(agreement: Agreement) -> int:
    return sum("unexplained" in each.causes for each in agreement.differences)


def _kinds(agreement: Agreement) -> Iterator[str]:
    yield "## By kind of change"
    yield ""
    yield "| kind | rows | agree | only the source accepts | only fcbench accepts | causes |"
    yield "|---|---|---|---|---|---|"
    for name, tally in sorted(agreement.kinds.items()):
        parted = [each for each in agreement.differences if each.row.perturbation == name]
        causes = Counter(" and ".join(each.causes) for each in parted)
        named = ", ".join(f"{cause} {count}" for cause, count in sorted(causes.items()))
        ours = sum(each.ours for each in parted)
        yield f"| {_cell(name)} | {tally.rows:,} | {_agreed(tally)} | {len(parted) - ours} | {ours} | {named} |"
    yield ""


def _categories(agreement: Agreement) -> Iterator[str]:
    yield "## By category"
    yield ""
    yield "| category | rows | agree |"
    yield "|---|---|---|"
    for name, tally in sorted(agreement.categories.items()):
        yield f"| {_cell(name)} | {tally.rows:,} | {_agreed(tally)} |"
    yield ""


def _agreed(tally: Tally) -> str:
    return f"{tally.agree:,} ({tally.share})"


def _cause(names: tuple[Cause, ...], found: list[Difference]) -> Iterator[str]:
    yield f"### {' and '.join(names)}"
    yield ""
    for name in names:
        ruling = RULINGS[name]
        yield f"{ruling.title}. *Who is right:* {ruling.who} {ruling.why}"
        yield ""
    for each in _examples(found):
        source = "accepts" if each.row.valid else "refuses"
        ours = "accepts" if each.ours else "refuses"
        yield f"Example `{_code(each.row.id)}`: the source {source} it, fcbench {ours} it."
        yield ""
        yield from (f"    {line}" for line in _telling(each.row))
        yield ""
    if "unexplained" in names:
        yield "Rows: " + ", ".join(f"`{_code(each.row.id)}`" for each in found) + "."
        yield ""


def _examples(found: list[Difference]) -> list[Difference]:
    """One of each kind of change, the rarest kinds first: they show more than the frequent ones."""
    counts = Counter(each.row.perturbation for each in found)
    first: dict[str, Difference] = {}
    for each in found:
        first.setdefault(each.row.perturbation, each)
    rare = sorted(first.values(), key=lambda each: (counts[each.row.perturbation], each.row.perturbation))
    return rare[:MAX_EXAMPLES]


def _telling(row: PairRow) -> list[str]:
    """The arguments that are not, letter for letter, among the accepted values; else all calls and answers."""
    lines = []
    for entry in row.calls or ():
        for name, arguments in entry.items():
            lists = [answer[name] for answer in row.source.answers or () if isinstance(answer.get(name), dict)]
            for argument, value in (arguments if isinstance(arguments, dict) else {}).items():
                accepted = [each.get(argument, []) for each in lists if isinstance(each, dict)]
                if not any(_written(value) in map(_written, values) for values in accepted if isinstance(values, list)):
                    lines += [f"{name}, {argument}", f"  given    {_short(value)}"]
                    lines += [f"  accepted {_short(values)}" for values in accepted]
    if not lines:
        answers = [list(answer.items()) for answer in row.source.answers or ()]
        lines = [f"given    {_short(row.calls)}", f"accepted {_short(answers)}"]
    return [clean_text(line).replace("\n", " ") for line in lines]


def _written(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= MAX_EXAMPLE else text[:MAX_EXAMPLE] + " ..."


def _cell(text: str) -> str:
    """Text of a file inside a table cell."""
    return clean_text(text).replace("\n", " ").replace("|", "\\|").replace("<", "&lt;")[:80]


def _code(text: str) -> str:
    return clean_text(text).replace("`", "'").replace("\n", " ")[:120]

"""The words of a new suite, in English and in Dutch: openings, small talk, reasons, and a first vocabulary of traps."""

from __future__ import annotations

from typing import Literal

from fcbench.core.records import Record

Language = Literal["en", "nl"]


class Words(Record, frozen=True, kw_only=True):
    """Everything that is said in one language."""

    title: str
    """`{name}` is the function."""
    explicit: tuple[str, str]
    """Before and after the list of values."""
    noise: tuple[str, str]
    edge: tuple[str, str]
    slip: str
    """A value that the text takes back: `{field}` and `{value}`."""
    yes: str
    no: str
    nothing: str
    """For null, an empty list and an empty object."""
    of: str
    """Joins the field's name and its value in an edge case."""
    all_given: str
    """Rationale of the explicit case."""
    small_talk: str
    """Rationale of the case with noise."""
    taken_back: str
    missing: str
    """Rationale of the edge case; `{field}` is what is missing."""


WORDS: dict[Language, Words] = {
    "en": Words(
        title="{name}: requests in English",
        explicit=("Good morning, could you put this into the system for me? These are the details.", "Thank you."),
        noise=(
            "Hello again. Sorry that this gets long: the line was bad this morning, the coffee machine is broken and "
            "half of the office is away on a course, so nobody wrote anything down properly.",
            "Oh, and my colleague had a question about something else altogether, but that is settled by now. Have a "
            "nice weekend, and give my best to everyone on the second floor!",
        ),
        edge=(
            "Quick one between two meetings, as far as I have it on my notepad:",
            "That is all that was said on the telephone. Can you take care of it before the end of the day?",
        ),
        slip="In my first message I gave {value} for {field}. That was wrong; take what stands below.",
        yes="yes",
        no="no",
        nothing="none",
        of="is",
        all_given="Every value stands in the text, once. Nothing else is said, so no other field is filled.",
        small_talk="What counts stands in the list. The small talk around it belongs into no field.",
        taken_back="The value of the first message is taken back by the text itself.",
        missing="{field} is required, and the text does not give it. An invented value would be wrong: ask for it.",
    ),
    "nl": Words(
        title="{name}: verzoeken in het Nederlands",
        explicit=("Goedemorgen, wilt u dit voor mij in het systeem zetten? Dit zijn de gegevens.", "Alvast bedankt."),
        noise=(
            "Daar ben ik weer. Sorry dat het lang wordt: de lijn was vanochtend slecht, het koffieapparaat is stuk en "
            "de halve afdeling is naar een cursus, dus niemand heeft iets netjes opgeschreven.",
            "O ja, mijn collega had nog een vraag over iets heel anders, maar dat is inmiddels geregeld. Fijn weekend, "
            "en doe de groeten aan iedereen op de tweede verdieping!",
        ),
        edge=(
            "Even snel tussen twee afspraken door, voor zover het op mijn kladblok staat:",
            "Meer is er aan de telefoon niet gezegd. Lukt het om dit voor het eind van de dag te regelen?",
        ),
        slip="In mijn eerste bericht noemde ik {value} bij {field}. Dat klopte niet; neem wat hieronder staat.",
        yes="ja",
        no="nee",
        nothing="geen",
        of="is",
        all_given="Elke waarde staat eenmaal in de tekst. Meer wordt er niet gezegd, dus blijft elk ander veld leeg.",
        small_talk="Wat telt, staat in de lijst. Het praatje eromheen hoort in geen enkel veld.",
        taken_back="De waarde uit het eerste bericht wordt in de tekst zelf teruggenomen.",
        missing="{field} is verplicht en staat niet in de tekst. Een verzonnen waarde is fout: vraag ernaar.",
    ),
}

TRAPS: dict[Language, dict[str, str]] = {
    "en": {
        "number_words": 'An amount or a number is written in words or in idiom ("half a million", "a dozen").',
        "date_words": "A date is written in words, as people say it.",
        "relative_date": "A date is given against a day that the text states (the day after tomorrow).",
    },
    "nl": {
        "decimal_mark": "A decimal comma must become a decimal point (1.067,50 is 1067.5).",
        "thousands_mark": "A point that groups thousands must not be read as a decimal point (285.000 is 285000).",
        "number_words": 'An amount or a number is written in words or in idiom ("anderhalve ton").',
        "date_words": "A date is written in words, as people say it.",
        "relative_date": "A date is given against a day that the text states (overmorgen).",
    },
}
SHARED_TRAPS = {
    "unit_conversion": "The text gives one unit where the schema wants another (years for months).",
    "enum_translation": "The text says in other words what the schema names by an enum word.",
    "role_assignment": "Facts of several people or things must stay with the right one.",
    "branch_confusion": "Each kind of item has fields of its own; those of another kind do not belong in it.",
    "conditional_field": "A field is required or forbidden because of the value of another field.",
    "invented_optional": "A detail in the text, or an assumption, tempts to fill an optional field that has no value.",
    "superseded_value": "The text gives an old or a wrong value beside the one that counts.",
    "distractor_tool": "A detail of the text fits a neighbouring function.",
    "missing_required": "A required value is not in the text.",
    "value_repaired": "A value breaks its pattern and cannot be mended without guessing.",
}
"""Traps of any language; `distractor_tool` needs a second function among `tools`."""

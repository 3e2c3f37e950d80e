"""Situations of a hostile review of version 1: what breaks a schema, and values of a text that was read wrongly."""

from __future__ import annotations

from typing import Any

from tests.evaluator.review_rows import STRICT, Situation, made, one, seen
from tests.evaluator.world import attempt, call, dutch, step

# What breaks a schema, and what it is called.
WHOLE = {"x": 1, "y": 2, "z": 3}
FORM = [
    one(
        "union-the-discriminator-says-which",
        "shape",
        {"form": {"kind": "a", **WHOLE}},
        {"form": {"kind": "a"}},
        *["missing_required_key"] * 3,
        at=["/form/x", "/form/y", "/form/z"],
    ),
    one(
        "union-with-a-word-that-all-branches-share",
        "shape",
        {"form": {"kind": "b", "w": 1}},
        {"form": {"kind": "b", "unit": "mm"}},
        "missing_required_key",
        "invented_optional",
        at=["/form/w"],
    ),
    one(
        "nullable-object-is-meant-as-an-object",
        "shape",
        {"owner": {"last": "Bos"}},
        {"owner": {"first": "A"}},
        "missing_required_key",
        "invented_optional",
        at=["/owner/last", "/owner/first"],
    ),
    one(
        "nullable-object-with-two-faults-is-no-null",
        "shape",
        {"owner": {"last": "Bos"}},
        {"owner": {"age": 3}},
        "missing_required_key",
        "unknown_key",
        at=["/owner/last", "/owner/age"],
    ),
    one(
        "nullable-object-holds-an-unknown-key",
        "shape",
        {"owner": {"last": "Bos"}},
        {"owner": {"last": "Bos", "age": 3}},
        "unknown_key",
        at=["/owner/age"],
    ),
    one(
        "nullable-object-is-a-text", "shape", {"owner": {"last": "Bos"}}, {"owner": "Bos"}, "wrong_type", at=["/owner"]
    ),
    one("nullable-object-is-null", "shape", {"owner": None}, {"owner": None}),
    one(
        "open-union-key-of-another-branch",
        "open",
        {"form": {"kind": "a", "x": 1}},
        {"form": {"kind": "a", "x": 1, "w": 2}},
        "branch_confusion",
        at=["/form/w"],
    ),
    one(
        "open-union-key-of-no-branch",
        "open",
        {"form": {"kind": "a", "x": 1}},
        {"form": {"kind": "a", "x": 1, "v": 2}},
        "invented_optional",
        at=["/form/v"],
    ),
    one(
        "each-key-that-another-wants-is-one-fault",
        "paired",
        {"a": 1, "b": 2, "c": 3},
        {"a": 1},
        "missing_required_key",
        "missing_required_key",
        at=["/b", "/c"],
    ),
    one("a-place-that-is-ruled-out", "paired", {"b": 1}, {"b": 1, "never": 1}, "unknown_key", at=["/never"]),
]

# Values of an instruction that was read wrongly: Dutch, decision `call`, one complex function.
ID = "DOS-12345"


def nl(name: str, said: str, expected: dict[str, Any], found: dict[str, Any], *kinds: str, **more: Any) -> Situation:
    judged = dutch(said, step("vul", "aanvraag", {"dossier_id": ID, **expected}))
    calls = attempt(call("aanvraag", {"dossier_id": ID, **found}))
    return Situation(name, judged, calls, kinds, STRICT, frozenset(more.get("at", ())))


def klant(name: str, said: str, expected: dict[str, Any], found: dict[str, Any], *kinds: str, **more: Any) -> Situation:
    return nl(name, said, {"klant": expected}, {"klant": found}, *kinds, **more)


def repaired(name: str, said: str, found: str, *kinds: str, meant: str = ID) -> Situation:
    judged = dutch(said, step("vul", "aanvraag", {"dossier_id": meant}))
    return Situation(name, judged, attempt(call("aanvraag", {"dossier_id": found})), kinds, STRICT)


VALUES = [
    klant(
        "prefix-lost-in-its-own-field",
        "Van der Berg.",
        {"tussenvoegsel": "van der", "achternaam": "Berg"},
        {"achternaam": "Berg"},
        "surname_prefix",
        at=["/klant/tussenvoegsel"],
    ),
    klant(
        "prefix-moved-into-its-own-field",
        "Van der Berg.",
        {"achternaam": "van der Berg"},
        {"tussenvoegsel": "van der", "achternaam": "Berg"},
        "surname_prefix",
        "surname_prefix",
        at=["/klant/tussenvoegsel", "/klant/achternaam"],
    ),
    klant(
        "prefix-beside-a-whole-name",
        "Van der Berg.",
        {"achternaam": "van der Berg"},
        {"tussenvoegsel": "van der", "achternaam": "van der Berg"},
        "invented_optional",
    ),
    klant(
        "prefix-with-an-apostrophe", "D'Ancona.", {"achternaam": "d'Ancona"}, {"achternaam": "Ancona"}, "surname_prefix"
    ),
    klant(
        "prefix-with-a-typographic-apostrophe",
        "D’Ancona.",
        {"achternaam": "d’Ancona"},
        {"achternaam": "Ancona"},
        "surname_prefix",
    ),
    klant(
        "prefix-cut-short", "Van den Berg.", {"achternaam": "van den Berg"}, {"achternaam": "vd Berg"}, "surname_prefix"
    ),
    klant(
        "another-name-is-no-prefix",
        "Van den Berg.",
        {"achternaam": "van den Berg"},
        {"achternaam": "van den Bos"},
        "wrong_value",
    ),
    nl(
        "a-town-has-no-prefix",
        "Den Haag.",
        {"filters": [{"soort": "plaats", "naam": "Den Haag"}]},
        {"filters": [{"soort": "plaats", "naam": "Rotterdam"}]},
        "wrong_value",
    ),
    one(
        "words-of-another-text-are-no-prefix",
        "describe",
        {"omschrijving": "verbouwing van de keuken"},
        {"omschrijving": "verbouwing keuken"},
        "wrong_value",
    ),
    one("a-town-without-its-article", "describe", {"plaatsnaam": "Den Haag"}, {"plaatsnaam": "Haag"}, "wrong_value"),
    one("a-missing-text-that-is-a-prefix-word", "describe", {"omschrijving": "op"}, {}, "missing_argument"),
    nl("year-before-an-amount", "In 2024 52.300 euro.", {"bedrag": 52300}, {"bedrag": 52.3}, "thousands_mark"),
    nl(
        "year-before-an-amount-with-decimals",
        "In 2024 1.250,50 euro.",
        {"bedrag": 1250.5},
        {"bedrag": 125050},
        "decimal_mark",
    ),
    nl(
        "amount-within-a-tolerance",
        "350.000 euro.",
        {"bedrag": {"$tolerance": {"value": 350000, "absolute": 1}}},
        {"bedrag": 350},
        "thousands_mark",
    ),
    nl(
        "amount-of-alternatives",
        "350.000 euro.",
        {"bedrag": {"$one_of": [350000, 350001]}},
        {"bedrag": 350},
        "thousands_mark",
    ),
    nl(
        "amount-of-neither-alternative",
        "350.000 euro.",
        {"bedrag": {"$one_of": [350000, 350001]}},
        {"bedrag": 36},
        "wrong_value",
    ),
    one("negative-amount", "probe", {"value": -1250.5}, {"value": -125050}, "wrong_value"),
    Situation(
        "negative-amount-of-the-text",
        dutch("Boek -1.250,50 euro.", step("boek", "probe", {"value": -1250.5})),
        seen(made("probe", {"value": -125050})),
        ("decimal_mark",),
        STRICT,
    ),
    repaired("mended-by-one-letter", "Dossier DOS-1234S.", "DOS-12345", "value_repaired", meant="DOS-99999"),
    repaired("mended-by-two-letters", "Dossier DOS-12E4S.", "DOS-12345", "value_repaired", meant="DOS-99999"),
    repaired("three-letters-are-another-value", "Dossier DOS-1ZE4S.", "DOS-12345", "wrong_value", meant="DOS-99999"),
    Situation(
        "short-and-mended-by-one-letter",
        dutch("Code A12O.", step("one", "describe", {"code": "B123"})),
        seen(made("describe", {"code": "A120"})),
        ("value_repaired",),
        STRICT,
    ),
    Situation(
        "short-and-two-letters-are-another-value",
        dutch("Code A1ZO.", step("one", "describe", {"code": "B123"})),
        seen(made("describe", {"code": "A120"})),
        ("wrong_value",),
        STRICT,
    ),
    klant(
        "word-not-translated",
        "Een zakelijke klant, soort zakelijk.",
        {"achternaam": "Bos", "soort": "BUSINESS"},
        {"achternaam": "Bos", "soort": "zakelijk"},
        "enum_word_not_translated",
    ),
    klant(
        "part-of-a-word-is-no-word",
        "Een zakelijke klant.",
        {"achternaam": "Bos", "soort": "BUSINESS"},
        {"achternaam": "Bos", "soort": "zakelijk"},
        "enum_out_of_vocabulary",
    ),
    klant(
        "word-of-two-letters",
        "Soort BV.",
        {"achternaam": "Bos", "soort": "BUSINESS"},
        {"achternaam": "Bos", "soort": "BV"},
        "enum_word_not_translated",
    ),
    klant(
        "one-letter-is-no-word",
        "Soort B.",
        {"achternaam": "Bos", "soort": "BUSINESS"},
        {"achternaam": "Bos", "soort": "B"},
        "enum_out_of_vocabulary",
    ),
    one("empty-path-is-not-here", "probe", {"value": {"$path": "."}}, {"value": ""}, "wrong_value"),
    one("here-is-here", "probe", {"value": {"$path": "."}}, {"value": "./"}),
    one(
        "huge-numbers-are-apart",
        "probe",
        {"value": {"$tolerance": {"value": 2**60, "absolute": 0.5}}},
        {"value": 2**60 + 1},
        "wrong_value",
    ),
    one(
        "huge-numbers-within", "probe", {"value": {"$tolerance": {"value": 2**60, "absolute": 1}}}, {"value": 2**60 + 1}
    ),
    one(
        "keys-are-compared-letter-by-letter",
        "probe",
        {"value": {"caf\u00e9": 1}},
        {"value": {"cafe\u0301": 1}},
        "missing_argument",
        "invented_optional",
    ),
]

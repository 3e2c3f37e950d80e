"""Lines on fault kinds about values: misread numbers, dates and names, invented and missing ones (PROTOCOL 5)."""

from __future__ import annotations

from typing import Any

from tests.conformance.rows_faults import ID, fill, form


def _value(
    name: str, about: str, said: str, expected: Any, found: Any, kind: str, at: str, *shown: Any
) -> dict[str, Any]:
    want, got = shown
    return form(
        name,
        about,
        {**ID, **expected},
        {**ID, **found},
        "argument_values",
        said=said,
        valid=True,
        right=1 / 2,
        dims="TTFT",
        faults=[fill(kind, at, want, got)],
    )


def _amount(name: str, about: str, said: str, expected: float, found: float, kind: str) -> dict[str, Any]:
    return _value(name, about, said, {"amount": expected}, {"amount": found}, kind, "/amount", expected, found)


SLIPS: list[dict[str, Any]] = [
    _amount("decimal-mark-cut", "150.000,50 read as 150.", "Het is 150.000,50 euro.", 150000.5, 150, "decimal_mark"),
    _amount("decimal-mark-lost", "3,75 read as 375.", "Het is 3,75 euro.", 3.75, 375, "decimal_mark"),
    _amount("thousands-mark", "350.000 read as 350.", "Het is 350.000 euro.", 350000, 350, "thousands_mark"),
    _amount("thousands-as-decimal", "12.345 read as 12.345.", "Het is 12.345 euro.", 12345, 12.345, "thousands_mark"),
    _amount(
        "no-mark",
        "A number that no mark explains is a wrong value.",
        "Het is 350.000 euro.",
        350000,
        351000,
        "wrong_value",
    ),
    _value(
        "date-order",
        "Day and month are exchanged.",
        "Geboren op 04-03-1980.",
        {"customer": {"last": "Bos", "born": "1980-03-04"}},
        {"customer": {"last": "Bos", "born": "1980-04-03"}},
        "date_order",
        "/customer/born",
        "1980-03-04",
        "1980-04-03",
    ),
    _value(
        "another-date",
        "Another date is a wrong value.",
        "Geboren op 04-03-1980.",
        {"customer": {"last": "Bos", "born": "1980-03-04"}},
        {"customer": {"last": "Bos", "born": "1980-03-05"}},
        "wrong_value",
        "/customer/born",
        "1980-03-04",
        "1980-03-05",
    ),
    _value(
        "surname-prefix-lost",
        "Words such as van der are lost.",
        "Jan van der Berg",
        {"customer": {"last": "van der Berg"}},
        {"customer": {"last": "Berg"}},
        "surname_prefix",
        "/customer/last",
        "van der Berg",
        "Berg",
    ),
    form(
        "value-repaired",
        "A word of the instruction that breaks the pattern was silently mended.",
        {"order_id": "ORD-9999"},
        {"order_id": "ORD-1230"},
        "argument_values",
        said="Order ORD-123 of toch ORD-9999.",
        valid=True,
        right=0,
        dims="TTFF",
        faults=[fill("value_repaired", "/order_id", "ORD-9999", "ORD-1230")],
    ),
    form(
        "surname-prefix-moved",
        "The prefix has a field of its own and went into the name.",
        {**ID, "customer": {"prefix": "van der", "last": "Berg"}},
        {**ID, "customer": {"last": "van der Berg"}},
        "argument_values",
        said="Jan van der Berg",
        valid=True,
        right=1 / 2,
        dims="TTFT",
        faults=[
            fill("surname_prefix", "/customer/prefix", "van der"),
            fill("surname_prefix", "/customer/last", "Berg", "van der Berg"),
        ],
    ),
    form(
        "invented-optional",
        "An optional key that nothing supports; the values asked for are all there.",
        ID,
        {**ID, "paid": False},
        "argument_keys",
        valid=True,
        dims="TTTF",
        fields=(1 / 2, 1.0),
        faults=[fill("invented_optional", "/paid", found=False)],
    ),
    form(
        "missing-argument",
        "An expected key that the schema does not require.",
        {**ID, "amount": 5},
        ID,
        "argument_keys",
        valid=True,
        right=1 / 2,
        dims="TTFT",
        fields=(1.0, 1 / 2),
        faults=[fill("missing_argument", "/amount", 5)],
    ),
]

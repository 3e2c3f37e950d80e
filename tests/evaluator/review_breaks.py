"""Places that `mutation_run.py` breaks, one or more for each rule that a review of version 1 found broken."""

from __future__ import annotations

from tests.evaluator.mutation_places import Break

REVIEW = [
    Break(
        "form-of-one-alternative", "forms", "return {name: [_mapped(value, option) for option in body]}", "return found"
    ),
    Break(
        "form-without-its-tolerance",
        "forms",
        'return {name: {**body, "value": _mapped_plain(value, body.get("value"))}}',
        "return found",
    ),
    Break(
        "form-of-casefold-by-the-letter",
        "forms",
        'return {"$exact": words[body.casefold()]} if body.casefold() in words else found',
        "return found",
    ),
    Break("form-of-exact-as-it-is", "forms", "return {name: _mapped_plain(value, body)}", "return found"),
    Break(
        "form-of-whole-numbers-only",
        "forms",
        "is_number = isinstance(plain, int | float) and",
        "is_number = isinstance(plain, int) and",
    ),
    Break(
        "form-of-true",
        "forms",
        "isinstance(plain, int | float) and not isinstance(plain, bool)",
        "isinstance(plain, int | float)",
    ),
    Break(
        "condition-of-the-first-alternative",
        "forms",
        "elif not _fits(expected.get(key, ours.defaults.get(key)), wanted):",
        "elif not json_equal(expected.get(key, ours.defaults.get(key)), wanted):",
    ),
    Break(
        "absence-only-in-silence",
        "forms",
        "if key in expected and not (key in ours.defaults and _fits(expected[key], ours.defaults[key])):",
        "if key in expected:",
    ),
    Break(
        "all-arguments-or-no-equivalent",
        "forms",
        "except Underivable:\n            continue",
        "except Underivable:\n            return None",
    ),
    Break(
        "no-offset-on-floats", "../core/comparators", "or (isinstance(value, float) and value.is_integer())", "or False"
    ),
    Break(
        "offset-on-any-float",
        "../core/comparators",
        "isinstance(value, float) and value.is_integer()",
        "isinstance(value, float)",
    ),
    Break(
        "offset-on-true",
        "../core/comparators",
        "or isinstance(value, bool):\n                raise",
        "or False:\n                raise",
    ),
    Break(
        "first-equivalent-counts",
        "expectation",
        "return min([other.count(arguments) for other in others]) if others else None",
        "return others[0].count(arguments) if others else None",
    ),
    Break(
        "first-equivalent-reads",
        "expectation",
        "return min([other.read(arguments) for other in others], key=_faults) if others else None",
        "return others[0].read(arguments) if others else None",
    ),
    Break("nothing-omitted-in-an-equivalent", "expectation", "omitted = _may_omit(equivalent, step)", "omitted = ()"),
    Break(
        "broken-json-omits",
        "arguments",
        "if observed is None:\n            return False\n        return key",
        "return key",
    ),
    Break(
        "recovery-without-sources",
        "recovery",
        "search.reading(step, call, chosen)",
        "search.reading(step, call, [None] * len(chosen))",
    ),
    Break("standing-capability-unknown", "extras", "(*run.needed, *standing)", "run.needed"),
    Break(
        "declared-equivalents-are-extras",
        "extras",
        "return any(contract.name in expected.others for expected in run.expected)",
        "return False",
    ),
    Break("follow-ups-of-equivalents-unknown", "extras", "or call.name in standing:", "or False:"),
    Break(
        "defaults-behind-a-reference-unknown",
        "../core/contracts",
        "for each in (schema, resolved):",
        "for each in (schema,):",
    ),
    Break("two-edits-in-short-texts", "misreadings", "allowed = 1 if len(found) < 8 else 2", "allowed = 2"),
    Break("one-edit-in-long-texts", "misreadings", "allowed = 1 if len(found) < 8 else 2", "allowed = 1"),
    Break("three-edits", "misreadings", "allowed = 1 if len(found) < 8 else 2", "allowed = 1 if len(found) < 8 else 3"),
    Break("mended-values-are-supported", "dimensions", '        "value_repaired",\n', ""),
    Break("own-type-ignored", "unions", "return own_type, sum(", "return 0, sum("),
    Break(
        "lost-prefix-field",
        "valuefaults",
        'return "surname_prefix" if lost else "missing_argument"',
        'return "missing_argument"',
    ),
    Break(
        "moved-prefix-field",
        "valuefaults",
        "if is_name(path) and is_prefix(difference.found) and any(",
        "if False and any(",
    ),
    Break(
        "every-prefix-was-moved", "valuefaults", "any(_loses_prefix(other, path) for other in item.differences)", "True"
    ),
    Break("apostrophe-is-a-letter", "misreadings", """.replace("d'", "d' ")""", ""),
    Break("typographic-apostrophe", "misreadings", """.replace("\\u2019", "'")""", ""),
    Break("no-short-prefixes", "misreadings", '    "vd v.d v/d v"\n', '    ""\n'),
    Break("towns-are-people", "misreadings", " and not any(part in key for part in _NOT_OF_PEOPLE)", ""),
    Break(
        "every-text-is-a-name", "misreadings", "return any(part in key for part in _NAME_KEYS) and", "return True and"
    ),
    Break("year-joins-the-amount", "misreadings", "for pattern in (_NUMBER, _UNSPACED)", "for pattern in (_NUMBER,)"),
    Break("no-number-in-a-tolerance", "misreadings", 'yield from _numbers(body.get("value"))', "yield from ()"),
    Break(
        "no-number-in-alternatives",
        "misreadings",
        "for item in body:\n                yield from _numbers(item)",
        "yield from ()",
    ),
    Break("no-negative-amounts", "misreadings", "for sign in (1, -1)", "for sign in (1,)"),
    Break(
        "invented-keys-unseen-beyond-fifty",
        "dimensions",
        "if facts.invented and len(faults) >= MAX_FAULTS:",
        "if False:",
    ),
    Break("positions-of-labels-ignored", "restraint", "if not any(part.isdigit() for part in parts):", "if True:"),
    Break(
        "labels-without-positions-fit-nothing",
        "restraint",
        "if not any(part.isdigit() for part in parts):",
        "if False:",
    ),
    Break(
        "parts-of-words-are-words",
        "misreadings",
        "if not (_is_letter(whole[place - 1 : place]) or _is_letter(whole[end : end + 1])):",
        "if True:",
    ),
    Break(
        "words-of-three-letters",
        "misreadings",
        "if not isinstance(found, str) or not 2 <= len(found)",
        "if not isinstance(found, str) or not 3 <= len(found)",
    ),
    Break(
        "words-of-one-letter",
        "misreadings",
        "if not isinstance(found, str) or not 2 <= len(found)",
        "if not isinstance(found, str) or not 1 <= len(found)",
    ),
    Break(
        "open-unions-are-one-branch",
        "schemaplaces",
        "return bool(fitting) and not any(key in properties_of(option) for option in fitting)",
        "return False",
    ),
    Break(
        "every-key-is-of-a-branch",
        "schemaplaces",
        "if not any(key in properties_of(option) for option in options):",
        "if False:",
    ),
    Break("no-path-is-here", "comparing", "if not text:", "if False:"),
    Break(
        "huge-numbers-by-doubles", "comparing", "if isinstance(found, int) and isinstance(wanted, int):", "if False:"
    ),
    Break(
        "an-empty-list-is-no-field",
        "structures",
        '"extra", self if index == 0 else None, found[index]',
        '"extra", None, found[index]',
    ),
    Break(
        "the-lost-list-is-shown",
        "valuefaults",
        'if node is None or difference.kind == "extra" else node.shown',
        "if node is None else node.shown",
    ),
    Break("words-read-as-numbers", "anomalies", "_NUMERAL.fullmatch(found.strip()) is not None", "True"),
    Break(
        "all-calls-are-assigned",
        "matching",
        "_collapsed(calls[:MAX_CALLS], len(run.steps))",
        "_collapsed(calls, len(run.steps))",
    ),
    Break("first-keys-are-shown", "wording", "else sorted(value)[:MAX_ITEMS]", "else list(value)[:MAX_ITEMS]"),
    Break("leaves-as-written", "restraint", "for key in sorted(value):", "for key in value:"),
    Break(
        "unknown-keys-as-written",
        "../core/schema",
        "for key in sorted(kind.unexpected):",
        "for key in kind.unexpected:",
    ),
    Break("schema-faults-as-written", "violations", "if len(faults) > 1:", "if False:"),
    Break(
        "extra-arguments-as-written",
        "arguments",
        "for key in sorted(found.keys() - self.nodes.keys()):",
        "for key in [key for key in found if key not in self.nodes]:",
    ),
    Break(
        "extra-keys-as-written",
        "structures",
        "for key in sorted(found.keys() - self.nodes.keys()):",
        "for key in [key for key in found if key not in self.nodes]:",
    ),
    Break("single-calls-ask-later", "scene", 'rounds[0].text.strip() if rounds else ""', '""'),
    Break(
        "every-end-is-normal",
        "scene",
        '"completed", "unknown", ""}',
        '"completed", "unknown", "", "safety", "error", "refusal"}',
    ),
    Break(
        "all-read-tools-are-offered",
        "observed",
        'if one.status == "not_offered":',
        "if False:",
    ),
]

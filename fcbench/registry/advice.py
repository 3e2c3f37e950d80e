"""What the owner of a schema can do about each finding of the lint."""

from __future__ import annotations

ADVICE = {
    "keyword": "Take the keyword out, or express it in the subset: validators and providers read it differently.",
    "schema": "Mend the schema: it is not valid JSON Schema 2020-12.",
    "ref": "Move the definition to `$defs` and refer to `#/$defs/NAME`.",
    "root-object": "Make the root a plain object and move the union or condition into a property: providers refuse it.",
    "closed-object": "Add `additionalProperties: false`: else an invented key breaks no rule.",
    "pattern-explicit": "Write the class out: `[0-9]` for `\\d`, `[A-Za-z0-9_]` for `\\w`.",
    "pattern-anchored": "Begin the pattern with `^` and end it with `$`: else any text that holds a match conforms.",
    "multiple-of": "State the number of decimals in the description: validators disagree on fractions.",
    "format": "Write the format as a pattern: validators disagree on it.",
    "description": "Describe the field: what it holds, in which unit and form, and when it is absent.",
    "default-on-required": "Take the key out of `required`, or take the default out.",
    "default-valid": "Give a default that satisfies its own schema.",
    "satisfiable": "Look for a contradiction, or add `examples`; without a value no example case can be made.",
    "tool-name": "Name the function in lower case, digits and underscores; else it goes out under a mapped name.",
    "naming-style": "Use one style of field names: each further one is a mistake to make.",
    "order-to-model": "Say what the function or field is; orders to the model belong into a prompt.",
    "copied-description": "Say what tells this function from the other one.",
}
"""Rule of `fcbench.registry.lint.RULES` -> one sentence. Rules that the scaffold itself keeps have none."""

EXEMPT = frozenset(
    ("tool-name", "naming-style", "order-to-model", "description", "copied-description", "file-name", "category-folder")
)
"""Rules from which an imported contract is exempt (PROTOCOL 8)."""

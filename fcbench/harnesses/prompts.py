"""Every word that a harness says to a model, frozen: one hash over all of it is part of the board key.

Only what a validator says of wrong arguments comes from elsewhere (`core.schema`); its versions are in the header.

The texts state no call format, name no tool and were not tuned on the cases (PROTOCOL 2). Changing a letter makes new
boards.
"""

from __future__ import annotations

from fcbench.core.canonical import digest
from fcbench.core.names import Digest, HarnessMode

SYSTEM = (
    "You are an assistant with access to functions. When a function can do what the user asks, call it with values "
    "taken from the conversation. Do not invent values. If a required value is missing, ask for it. If no function "
    "is suitable, or none is needed, answer in plain text."
)
GUIDANCE = (
    "If the request needs further steps, continue with them. If these results complete the request, answer the user "
    "in plain text."
)
NUDGE = "{remaining} of {total} expected steps remain."
NOT_OFFERED = "There is no function of this name. Offered: {offered}."
NOT_JSON = "The arguments are not one JSON object: {problem}."
NOT_VALID = "The arguments do not satisfy the schema. {named}."
DUPLICATE = "The same call stands in this reply already; it ran once."
TOO_MANY = "The limit of calls for one request is reached."
RULES = "loop 1, synthetic answers 1, ranking 1"
"""Versions of what decides beside the words: the loop's limits and stop rules, the answers of the contract harness, and
the ranking of `lexical` retrieval. Raised whenever the same run could go another way."""
REPAIR = "Your last reply was cut off at the output limit. Reply again, more briefly and complete."


def nudge(remaining: int, total: int) -> str:
    """What an oracle-assisted harness says when the model stops early."""
    return NUDGE.format(remaining=remaining, total=total)


def texts(mode: HarnessMode) -> dict[str, str]:
    """All frozen texts of a mode by role."""
    shared = {
        "system": SYSTEM,
        "repair": REPAIR,
        "not offered": NOT_OFFERED,
        "not JSON": NOT_JSON,
        "not valid": NOT_VALID,
        "duplicate": DUPLICATE,
        "too many": TOO_MANY,
        "rules": RULES,
    }
    return {**shared, "nudge": NUDGE} if mode == "oracle-assisted" else {**shared, "guidance": GUIDANCE}


def prompt_hash(mode: HarnessMode) -> Digest:
    """SHA-256 over all frozen texts of a mode."""
    return digest(texts(mode))


def prompt_file(mode: HarnessMode) -> str:
    """The texts as stored in a package's `prompt.txt`."""
    return "".join(f"[{role}]\n{text}\n\n" for role, text in texts(mode).items())

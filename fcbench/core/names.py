"""Loose types, named once, so that swapping two of them is a type error."""

from __future__ import annotations

from typing import Literal, NewType, TypeAlias

JsonValue: TypeAlias = object
"""A JSON value: None, bool, int, float, str, list or dict with string keys.

It is a name for `object` because msgspec refuses a recursive alias; `core.canonical` checks the content.
"""

JsonObject: TypeAlias = dict[str, object]
"""A JSON object whose values were checked by `core.canonical`."""

CaseId = NewType("CaseId", str)
StepId = NewType("StepId", str)
ToolName = NewType("ToolName", str)
Digest = NewType("Digest", str)
"""SHA-256 as 64 lower-case hexadecimal letters."""
RegistryHash = NewType("RegistryHash", str)
Pointer = NewType("Pointer", str)
"""A JSON Pointer after RFC 6901: empty for the root, else `/a/0/b~1c`."""

Effect = Literal["reads", "view", "session", "project", "file"]
Decision = Literal["call", "no_call", "ask", "unavailable", "any_call"]
"""What is right in a case (PROTOCOL 3). `any_call` exists for imported data only: any structured call is right."""
HarnessName = Literal["contract", "workbench"]
HarnessMode = Literal["oracle-assisted", "production-parity"]
Tier = Literal[
    "native-function-contract",
    "real-tool-execution",
    "task-completion-execution",
    "task-completion-contract",
]
Outcome = Literal["completed", "timeout", "budget_exhausted", "provider_error", "schema_refused", "harness_error"]
Mix = Literal["explicit", "noise", "edge"]
Level = Literal["L1", "L2", "L3", "L4"]

SCORABLE: frozenset[str] = frozenset({"completed", "timeout", "budget_exhausted"})
"""Outcomes that are judged; the others are not the model's fault (PROTOCOL 2)."""

TIERS_OF_HARNESS: dict[HarnessName, tuple[Tier, ...]] = {
    "contract": ("native-function-contract", "task-completion-contract"),
    "workbench": ("native-function-contract", "real-tool-execution", "task-completion-execution"),
}
"""Which tiers the evidence of a harness can support (PROTOCOL 3)."""

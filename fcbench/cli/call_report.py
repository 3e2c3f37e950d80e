"""How one call of a tool looks: a badge coloured by effect, the arguments, the answer and where it comes from."""

from __future__ import annotations

from fcbench.cli.screen import Line, Span, block, json_text
from fcbench.core.evidence import Call, CallResult
from fcbench.core.names import Effect

BADGES: dict[Effect, str] = {
    "reads": "bold white on blue",
    "view": "bold black on cyan",
    "session": "bold black on yellow",
    "project": "bold white on magenta",
    "file": "bold white on red",
}
"""Effect -> style of the badge."""
_UNKNOWN = "bold black on white"
_INDENT = "      "
_MAX_NAME = 80


def badge(name: str, effect: Effect | None) -> tuple[Span, Span]:
    """The tool's name on the colour of its effect, and the effect in words. None: there is no such tool."""
    shown = name if len(name) <= _MAX_NAME else name[:_MAX_NAME] + "..."
    return (f"[{shown}]", BADGES[effect] if effect else _UNKNOWN), (f" {effect or 'no such tool'}", "dim")


def result_line(result: CallResult, indent: str) -> Line:
    """Status, time, provenance and engine."""
    style = "green" if result.status == "ok" else "bold red"
    beside = [f"{result.duration_s * 1000:.1f} ms"] if result.duration_s else []
    beside += [each for each in (result.provenance, result.engine) if each]
    return (indent, ""), (result.status, style), ("".join(f"  {each}" for each in beside), "dim")


def call_lines(call: Call, effect: Effect | None) -> list[Line]:
    """One call of a model: everything that came from it is cut."""
    lines: list[Line] = [(("    ", ""), *badge(call.name, effect))]
    if call.arguments is not None:
        lines += block(json_text(call.arguments), _INDENT)
    else:
        lines += block(call.raw_arguments, _INDENT + "| ")
        lines.append(((_INDENT, ""), (f"not one JSON object: {(call.parse_error or '')[:300]}", "red")))
    lines.append(result_line(call.result, _INDENT))
    return lines + block(json_text(call.result.content), _INDENT + "  ", "" if call.succeeded else "red")

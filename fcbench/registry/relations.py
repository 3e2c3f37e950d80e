"""Gates on what a contract says of other tools and of its own arguments: every name must exist."""

from __future__ import annotations

from collections.abc import Iterator

from fcbench.core.contracts import ArgumentForm, Derived, Equivalent, FormValue, ToolContract
from fcbench.core.names import ToolName
from fcbench.registry.shapes import Path, Remark


def relation_remarks(contract: ToolContract, tools: dict[ToolName, ToolContract]) -> Iterator[Remark]:
    """Every relation of a contract that names something which does not exist; paths start at the contract."""
    for index, equivalent in enumerate(contract.equivalents):
        yield from _equivalent(contract, equivalent, tools, ("equivalents", index))
    for index, form in enumerate(contract.argument_forms):
        yield from _form(contract, form, ("argument_forms", index))
    for index, name in enumerate(contract.neutral_arguments):
        yield from _own(contract, name, ("neutral_arguments", index))
        if name in contract.required:
            yield ("neutral_arguments", index), "relation", f"{name} is required, so it cannot be neutral"
    for field in ("follow_ups", "lookalikes"):
        names: tuple[ToolName, ...] = getattr(contract, field)
        for index, tool in enumerate(names):
            yield from _tool(contract, tool, tools, (field, index))
    for place, name in contract.synthetic.echo.items():
        yield from _own(contract, name, ("synthetic", "echo", place))
    for place, rule in contract.synthetic.derived.items():
        for name in _named(rule):
            yield from _own(contract, name, ("synthetic", "derived", place))
        if not _named(rule) or (rule.dna is not None and len(_named(rule)) > 1):
            yield ("synthetic", "derived", place), "relation", "it follows from `dna` alone, or from other arguments"
    for place, each in contract.synthetic.repeated.items():
        yield from _own(contract, each.argument, ("synthetic", "repeated", place))


def _named(rule: Derived) -> tuple[str, ...]:
    """Every argument that a rule names."""
    alone = tuple(name for name in (rule.size, rule.dna) if name is not None)
    return (*rule.plus, *rule.minus, *alone)


def _own(contract: ToolContract, name: str, path: Path) -> Iterator[Remark]:
    if name not in contract.properties:
        yield path, "relation", f"{name} is not an argument of {contract.name}"


def _tool(contract: ToolContract, name: ToolName, tools: dict[ToolName, ToolContract], path: Path) -> Iterator[Remark]:
    if name == contract.name:
        yield path, "relation", "a tool cannot be related to itself"
    elif name not in tools:
        yield path, "relation", f"the tool {name} does not exist in this registry"


def _value(contract: ToolContract, value: FormValue, path: Path) -> Iterator[Remark]:
    if value.argument is not None:
        yield from _own(contract, value.argument, path)
        if value.constant is not None:
            yield path, "relation", "a value comes from an argument or is a constant, not both"
    elif value.constant is None:
        yield path, "relation", "a value needs an argument or a constant"
    elif value.values or value.offset:
        yield path, "relation", "values and offset go with an argument, not with a constant"


def _equivalent(
    contract: ToolContract, equivalent: Equivalent, tools: dict[ToolName, ToolContract], path: Path
) -> Iterator[Remark]:
    yield from _tool(contract, equivalent.tool, tools, (*path, "tool"))
    for name in equivalent.when:
        yield from _own(contract, name, (*path, "when", name))
    other = tools.get(equivalent.tool)
    for name, value in equivalent.arguments.items():
        place = (*path, "arguments", name)
        yield from _value(contract, value, place)
        if other is not None and name not in other.properties:
            yield place, "relation", f"{name} is not an argument of {other.name}"
    for name in other.required if other is not None else ():
        if name not in equivalent.arguments:
            yield (*path, "arguments"), "relation", f"the required argument {name} of {equivalent.tool} is not mapped"


def _form(contract: ToolContract, form: ArgumentForm, path: Path) -> Iterator[Remark]:
    for index, name in enumerate(form.replaces):
        yield from _own(contract, name, (*path, "replaces", index))
        if name in contract.required and name not in form.uses:
            yield (*path, "replaces", index), "relation", f"{name} is required, so no form can leave it out"
    for name, value in form.uses.items():
        yield from _own(contract, name, (*path, "uses", name))
        yield from _value(contract, value, (*path, "uses", name))
    if not form.uses and not form.replaces:
        yield path, "relation", "a form must replace or use at least one argument"

"""The command about providers: models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from fcbench.cli.options import JsonOption, ProjectOption
from fcbench.cli.output import Output

if TYPE_CHECKING:
    from fcbench.workflows.models import Catalog, RulesLosses

SHOWN_PLACES = 3


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("models")(models)


def models(
    losses: Annotated[
        str | None, typer.Option("--losses", help="What each provider does to the schemas of this registry.")
    ] = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """List what `--model` can name: presets, where their keys are looked for, extras, other packages' providers.

    A key is never shown, only whether there is one. Nothing is asked.

    Example: fcbench models --losses complex-schema
    """
    from fcbench.core.records import to_plain
    from fcbench.workflows.models import catalog, schema_losses
    from fcbench.workflows.project import find_project, load

    printer = Output(as_json=json)
    if losses is None:
        found = catalog()
        printer.result("\n".join(_catalog_lines(found)), to_plain(found))
        return
    lost = schema_losses(load(find_project(project)).registries, losses)
    printer.result("\n".join(line for one in lost for line in _loss_lines(one)), [to_plain(one) for one in lost])


def _catalog_lines(found: Catalog) -> Iterator[str]:
    yield "preset       wire                key variable          key"
    for preset in found.presets:
        yield f"{preset.name:<12} {preset.wire:<19} {preset.key_variable:<21} {preset.key_found}"
    yield ""
    yield f"providers:   {', '.join(found.providers)}"
    others = [f"{name} = {value}" for name, value in found.third_parties.items()]
    yield f"other packages: {', '.join(others) or 'none'}"
    installed = [f"{name} {'installed' if there else 'not installed'}" for name, there in found.extras.items()]
    yield f"extras:      {', '.join(installed)}"
    yield "use:         fcbench run COLLECTION --model PRESET:MODEL"


def _loss_lines(found: RulesLosses) -> Iterator[str]:
    yield (
        f"{found.preset}, decoding {found.decoding} ({found.rules}): something is lost in {found.tools_hit} of "
        f"{found.tools} tools"
    )
    for loss in found.losses:
        places = ", ".join(place or "the root" for place in loss.pointers[:SHOWN_PLACES])
        more = f" and {len(loss.pointers) - SHOWN_PLACES} more" if len(loss.pointers) > SHOWN_PLACES else ""
        yield f"  {loss.tool}  {loss.keyword}  {loss.effect}  {places}{more}"

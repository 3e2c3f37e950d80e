"""A sweep as it is written: models x targets x harnesses x modes x retrievals x decodings, in YAML."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal

from fcbench.core.names import HarnessMode, HarnessName
from fcbench.core.records import Record
from fcbench.core.yaml12 import Document, load_yaml
from fcbench.engine.budget import Ceilings
from fcbench.errors import UsageError
from fcbench.providers.base import Sampling
from fcbench.providers.catalog import ProviderOptions
from fcbench.providers.spec import parse_model
from fcbench.suites.model import nearest
from fcbench.workflows.planning import RunRequest, check_run_id
from fcbench.workflows.project import Material

Decoding = Literal["free", "strict", "grammar"]
MAX_COMBINATIONS = 10_000


class SweepModel(Record, frozen=True, kw_only=True):
    """One model, with how it is asked."""

    model: str
    """`provider:model`, as `--model` names it."""
    options: ProviderOptions = ProviderOptions()
    concurrency: int = 1
    delay_s: float = 0.0
    """Seconds of rest before each attempt."""
    ceilings: Ceilings = Ceilings()
    """Of each single run of this model."""
    time_scale: float = 1.0
    max_output_tokens: int = 1024
    temperature: float = 0.0


class Exclusion(Record, frozen=True, kw_only=True):
    """Combinations that are left out: those that agree with every field that is given."""

    model: str | None = None
    target: str | None = None
    harness: HarnessName | None = None
    mode: HarnessMode | None = None
    retrieval: str | None = None
    decoding: Decoding | None = None
    why: str = ""


class SweepFile(Record, frozen=True, kw_only=True):
    """A sweep file. An empty list of harnesses, modes or retrievals means: as the collection says."""

    format_version: int = 1
    name: str
    """Stands in the run ids and in the state file's name."""
    models: tuple[SweepModel, ...]
    targets: tuple[str, ...]
    """Collections, `collection/subset` or suites."""
    harnesses: tuple[HarnessName, ...] = ()
    modes: tuple[HarnessMode, ...] = ()
    retrievals: tuple[str, ...] = ()
    decodings: tuple[Decoding, ...] = ("free",)
    repeats: int | Literal["auto"] | None = None
    exclude: tuple[Exclusion, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Combination:
    """One run of a sweep, before it is planned."""

    request: RunRequest
    place: int
    """Of the model in the file, from 0."""
    excluded: str | None = None
    """Why it is left out; None: it is run."""

    @property
    def label(self) -> str:
        """In words, the same for the same combination."""
        asked = self.request
        parts = (asked.model, asked.target, asked.harness, asked.mode, asked.retrieval, asked.sampling.decoding)
        return " | ".join(part for part in parts if part)


def read_sweep(path: Path, material: Material) -> tuple[SweepFile, tuple[Combination, ...]]:
    """Read a sweep file and lay out its combinations, those that are excluded among them.

    Raises:
        NotFoundError: the file cannot be read.
        BadInputError: it does not hold what it should; the message names line and field.
    """
    document = load_yaml(path)
    sweep = document.read(SweepFile)
    _check(sweep, document, material)
    return sweep, combinations(sweep)


def combinations(sweep: SweepFile) -> tuple[Combination, ...]:
    """Every combination: model by model, so that a local model is loaded as seldom as possible."""
    axes = product(
        enumerate(sweep.models),
        sweep.targets,
        sweep.harnesses or (None,),
        sweep.modes or (None,),
        sweep.retrievals or (None,),
        sweep.decodings,
    )
    made = []
    for (place, model), target, harness, mode, retrieval, decoding in axes:
        sampling = Sampling(max_output_tokens=model.max_output_tokens, temperature=model.temperature, decoding=decoding)
        request = RunRequest(
            target=target,
            model=model.model,
            options=model.options,
            harness=harness,
            mode=mode,
            retrieval=retrieval,
            repeats=None if sweep.repeats == "auto" else sweep.repeats,
            auto_repeats=sweep.repeats == "auto",
            sampling=sampling,
            time_scale=model.time_scale,
            concurrency=model.concurrency,
            delay_s=model.delay_s,
            ceilings=model.ceilings,
        )
        made.append(Combination(request=request, place=place, excluded=_excluded(request, sweep.exclude)))
    return tuple(made)


def _excluded(request: RunRequest, exclusions: tuple[Exclusion, ...]) -> str | None:
    asked = {
        "model": request.model,
        "target": request.target,
        "harness": request.harness,
        "mode": request.mode,
        "retrieval": request.retrieval,
        "decoding": request.sampling.decoding,
    }
    for place, one in enumerate(exclusions):
        given = {name: getattr(one, name) for name in asked if getattr(one, name) is not None}
        if all(asked[name] == value for name, value in given.items()):
            return one.why or f"entry {place + 1} of exclude"
    return None


def _check(sweep: SweepFile, document: Document, material: Material) -> None:
    if sweep.format_version != 1:
        raise document.complain(
            "this sweep file is of another format",
            "/format_version",
            wanted="1",
            found=str(sweep.format_version),
        )
    _check_axes(sweep, document)
    for place, target in enumerate(sweep.targets):
        if target not in material.suites.case_sets:
            raise document.complain(
                "there is no suite, collection or subset of this name",
                f"/targets/{place}",
                found=target[:80],
                next_step=nearest(target[:80], material.suites.case_sets) or "`fcbench suite stats` lists the suites",
            )
    for place, model in enumerate(sweep.models):
        _check_model(model, f"/models/{place}", document)
    for place, one in enumerate(sweep.exclude):
        if not any(getattr(one, name) is not None for name in one.__struct_fields__ if name != "why"):
            raise document.complain(
                "this exclusion would leave everything out", f"/exclude/{place}", wanted="at least one field beside why"
            )


def _check_axes(sweep: SweepFile, document: Document) -> None:
    try:
        check_run_id(sweep.name)
    except UsageError as error:
        raise document.complain("the name cannot stand in a file's name", "/name", found=sweep.name[:80]) from error
    number = 1
    for name in ("models", "targets", "harnesses", "modes", "retrievals", "decodings"):
        values = getattr(sweep, name)
        keys = [one.model if isinstance(one, SweepModel) else one for one in values]
        doubled = next((place for place, key in enumerate(keys) if key in keys[:place]), None)
        if doubled is not None:
            raise document.complain(
                "this stands twice in one list", f"/{name}/{doubled}", wanted="each once", found=str(keys[doubled])[:80]
            )
        if not values and name in ("models", "targets", "decodings"):
            raise document.complain("this list is empty", f"/{name}", wanted="at least one entry", found="none")
        number *= max(len(values), 1)
    if number > MAX_COMBINATIONS:
        raise document.complain("too many combinations", wanted=f"at most {MAX_COMBINATIONS:,}", found=f"{number:,}")
    if isinstance(sweep.repeats, int) and not 1 <= sweep.repeats <= 100:
        raise document.complain(
            "the number of repeats does not read", "/repeats", wanted="1 to 100, or auto", found=str(sweep.repeats)
        )


def _check_model(model: SweepModel, place: str, document: Document) -> None:
    try:
        parse_model(model.model)
    except UsageError as error:
        raise document.complain(
            error.message, f"{place}/model", wanted=error.wanted, found=error.found, next_step=error.next_step
        ) from error
    for field_name, least, most in _BOUNDS:
        value = getattr(model, field_name)
        if not least <= value <= most:
            raise document.complain(
                "this number is out of bounds",
                f"{place}/{field_name}",
                wanted=f"{least:g} to {most:g}",
                found=str(value),
            )
    for field_name in model.ceilings.__struct_fields__:
        value = getattr(model.ceilings, field_name)
        if value is not None and not 0 < value < float("inf"):
            raise document.complain("a ceiling is a number above 0", f"{place}/ceilings/{field_name}", found=str(value))


_BOUNDS = (
    ("concurrency", 1, 512),
    ("delay_s", 0, 86_400),
    ("time_scale", 0.01, 10_000),
    ("max_output_tokens", 1, 10_000_000),
    ("temperature", 0, 100),
)
"""Field of a model -> what the options of `fcbench run` allow, with an end."""

__all__ = ["Combination", "Exclusion", "SweepFile", "SweepModel", "combinations", "read_sweep"]

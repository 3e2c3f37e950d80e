"""Where a run left the protocol of its collection (PROTOCOL 2), or is of other versions than a project."""

from __future__ import annotations

from collections.abc import Iterator

from fcbench.core.boards import RunKey
from fcbench.core.hashes import oracle_hash, task_hash
from fcbench.errors import FcbenchError
from fcbench.harnesses.prompts import prompt_hash
from fcbench.packages.store import Package
from fcbench.providers.base import Sampling
from fcbench.retrieval.spec import RetrievalSpec
from fcbench.suites.model import Collection
from fcbench.workflows.planning import RunRequest, prepare, protocol_of
from fcbench.workflows.project import Material

_VERSIONS = {
    "task_hash": "tasks",
    "registry_hash": "registry",
    "fixture_hash": "fixtures",
    "prompt_hash": "prompt",
}


def departures(package: Package, material: Material) -> Iterator[str]:
    """Everything by which a run does not stand beside the others of its collection, one sentence each.

    Args:
        package: sealed and intact.
        material: the project whose board it is to join.
    """
    header = package.header
    if header.purpose != "board":
        yield f"purpose {header.purpose}: never ranked"
    if not package.manifest.complete:
        done = sum(package.manifest.counts.values())
        yield f"incomplete: {done} of {package.manifest.planned} attempts; shown with bounds, not ranked"
    try:
        protocol = protocol_of(material.suites, header.key.collection)
    except FcbenchError:
        yield f"{header.key.collection[:80]} is no collection of this project"
        return
    yield from _settings(package, protocol)
    yield from _versions(package, material)


def _settings(package: Package, protocol: Collection) -> Iterator[str]:
    header, key = package.header, package.header.key
    asked = str(RetrievalSpec.parse(protocol.retrieval))
    facts = (
        ("harness", protocol.harness, key.harness, key.harness == protocol.harness),
        ("mode", protocol.mode, key.harness_mode, key.harness_mode == protocol.mode),
        ("retrieval", asked, key.retrieval, key.retrieval == asked),
        ("decoding", "free", key.decoding, key.decoding == "free"),
    )
    for name, wanted, found, fits in facts:
        if not fits:
            yield f"{name} {found}, where the collection says {wanted}: a board of its own"
    if package.manifest.repeats_done < protocol.repeats and not package.manifest.deterministic:
        yield f"{package.manifest.repeats_done} repeats, where the collection says {protocol.repeats}"
    if header.sampling.temperature != Sampling().temperature:
        yield f"temperature {header.sampling.temperature}: only where the model takes no lower one"
    if header.time_scale != 1.0:
        yield f"time limits {header.time_scale} times as long: a badge on its row"


def _versions(package: Package, material: Material) -> Iterator[str]:
    """Parts of the key that today's project gives otherwise."""
    header = package.header
    request = RunRequest(
        target=header.key.collection,
        model="",
        harness=header.key.harness,
        mode=header.key.harness_mode,
    )
    try:
        prepared = prepare(material, request)
    except FcbenchError as error:
        yield f"this project cannot plan such a run, so its versions were not compared: {error.message}"
        return
    today = {
        "task_hash": task_hash(prepared.plan.cases),
        "registry_hash": prepared.registry.hash,
        "fixture_hash": prepared.fixture_hash,
        "prompt_hash": prompt_hash(header.key.harness_mode),
    }
    for name, wanted in today.items():
        found = _part(header.key, name)
        if found != wanted:
            yield f"other {_VERSIONS[name]} than today's ({found[:12]}, not {wanted[:12]}): a board of its own"
    if header.key.task_hash == today["task_hash"] and header.oracle_hash != oracle_hash(prepared.plan.cases):
        yield "another oracle than today's: `fcbench score --oracle current` judges it by today's"


def _part(key: RunKey, name: str) -> str:
    return str(getattr(key, name))

"""The header of a run: everything that is fixed before the first request."""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
from pathlib import Path

from msgspec.structs import replace

import fcbench
from fcbench.core.boards import RunKey
from fcbench.core.canonical import digest_text
from fcbench.core.hashes import oracle_hash, task_hash
from fcbench.core.names import Digest, HarnessName
from fcbench.core.records import record_digest
from fcbench.engine.plan import RunPlan
from fcbench.harnesses.clock import Clock, iso
from fcbench.harnesses.loop import ASSISTED_EXTRA_ROUNDS, PARITY_ROUNDS
from fcbench.harnesses.prompts import prompt_hash
from fcbench.packages.manifest import Assistance, RunHeader
from fcbench.providers.base import ProviderInfo, SchemaLoss
from fcbench.providers.schema_losses import losses_of
from fcbench.registry import Registry

_LIBRARIES = ("anthropic", "jsonschema", "jsonschema-rs", "msgspec", "openai", "xllamacpp")
"""Libraries whose version may matter to an outsider who replicates."""
_ENGINES = ("biopython", "numpy", "pyhmmer", "pysam", "primer3-py", "pyrodigal")
"""What the tools of the workbench compute with."""


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A run that is planned and not begun."""

    plan: RunPlan
    registry: Registry
    collection: str
    """`collection`, `collection/subset` or a suite."""
    harness: HarnessName
    suites: Path
    """Where the fixtures lie."""
    fixture_hash: Digest
    interactive: bool
    """Whether only some cases were picked, so that the run is never ranked."""
    base_url: str | None = None


def make_header(prepared: Prepared, info: ProviderInfo, clock: Clock, *, run_id: str | None) -> RunHeader:
    """The header of a planned run against a provider."""
    plan, settings = prepared.plan, prepared.plan.settings
    assisted = settings.mode == "oracle-assisted"
    key = RunKey(
        collection=prepared.collection,
        task_hash=task_hash(plan.cases),
        registry_hash=prepared.registry.hash,
        fixture_hash=prepared.fixture_hash,
        prompt_hash=prompt_hash(settings.mode),
        harness=prepared.harness,
        harness_mode=settings.mode,
        retrieval=plan.retrieval,
        decoding=settings.sampling.decoding,
    )
    header = RunHeader(
        run_id="",
        purpose="shard" if settings.shard else "interactive" if prepared.interactive else "board",
        created_at=iso(clock.now()),
        registry=prepared.registry.name,
        key=key,
        oracle_hash=oracle_hash(plan.cases),
        provider=replace(info, schema_losses=_losses(plan, info)),
        endpoint_sha256=digest_text(prepared.base_url) if prepared.base_url else None,
        sampling=settings.sampling,
        assistance=Assistance(
            step_count_disclosed=assisted,
            round_budget=f"expected steps + {ASSISTED_EXTRA_ROUNDS}" if assisted else str(PARITY_ROUNDS),
        ),
        repeats=plan.repeats,
        repeats_rule="auto" if settings.auto_repeats else "fixed",
        time_scale=settings.time_scale,
        versions={"fcbench": fcbench.__version__, "python": platform.python_version(), **_installed(prepared.harness)},
        cases=tuple(case.id for case in plan.cases),
        shard=settings.shard,
    )
    return replace(header, run_id=run_id or made_run_id(header))


def made_run_id(header: RunHeader) -> str:
    """The id of a run that nobody named: time of creation, target, model, and letters that tell parameters apart."""
    moment = datetime.fromisoformat(header.created_at)
    # The last letters tell two runs apart that differ in a parameter and begin in the same second.
    parameters = record_digest(replace(header, run_id="", created_at=""))[:6]
    part = f"-shard-{header.shard.number}-of-{header.shard.of}" if header.shard else ""
    return f"{moment:%Y%m%d-%H%M%S}-{slug(header.key.collection)}-{slug(header.provider.model)}{part}-{parameters}"


def _losses(plan: RunPlan, info: ProviderInfo) -> tuple[SchemaLoss, ...]:
    tools = {str(contract.name): contract.parameters for contract in plan.used_contracts()}
    return losses_of(info.attributes.get("schema rules"), tools)


def slug(text: str) -> str:
    """Lower-case letters, digits and hyphens, at most 40, for a folder's name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40].strip("-") or "run"


def _installed(harness: HarnessName) -> dict[str, str]:
    found = {}
    for name in (*_LIBRARIES, *(_ENGINES if harness == "workbench" else ())):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found

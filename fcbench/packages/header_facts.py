"""What a header says and the package itself can prove: hashes, prompt, template, assistance, retrieval, registry.

What needs a signature is not here: that the named model gave these replies, on that engine, at that time. See
docs/how-to/verify-a-package.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from fcbench.core.canonical import digest, digest_text, parse_json
from fcbench.core.contracts import ToolContract, contract_digest, contracts_of
from fcbench.core.evidence import Attempt
from fcbench.core.hashes import fixture_hash, oracle_hash, task_hash
from fcbench.core.records import from_plain
from fcbench.engine.plan import on_the_wire
from fcbench.errors import BadInputError, UsageError
from fcbench.harnesses.loop import ASSISTED_EXTRA_ROUNDS, PARITY_ROUNDS
from fcbench.packages.integrity import TEMPLATE
from fcbench.packages.manifest import Assistance
from fcbench.packages.store import Package
from fcbench.registry.model import registry_hash
from fcbench.retrieval.spec import RetrievalSpec

REGISTRY = "registry.json"
_REGISTRY_FOLDER = re.compile(r"[0-9a-f]{12}")
_ROLE = re.compile(r"^\[([^\]\n]+)\]\n", re.MULTILINE)
_MAX_REGISTRY_BYTES = 1 << 28


def header_problems(package: Package) -> Iterator[str]:
    """Fields of the header that do not follow from the package's own files, one sentence each."""
    yield from _hashes(package)
    yield from _texts(package)
    header, key = package.header, package.header.key
    if key.decoding != header.sampling.decoding:
        yield f"decoding: the key says {key.decoding}, the sampling {header.sampling.decoding}"
    assisted = key.harness_mode == "oracle-assisted"
    budget = f"expected steps + {ASSISTED_EXTRA_ROUNDS}" if assisted else str(PARITY_ROUNDS)
    if header.assistance != Assistance(step_count_disclosed=assisted, round_budget=budget):
        yield f"assistance: is not that of the mode {key.harness_mode}"
    if header.provider.control != (header.provider.provider == "scripted"):
        yield f"control: {header.provider.control}, although the provider is {header.provider.provider!r}"
    if header.format_version != package.manifest.format_version:
        yield "format version: header and manifest name different ones"


def _hashes(package: Package) -> Iterator[str]:
    header, cases = package.header, package.cases
    if tuple(cases) != header.cases:
        yield "cases.jsonl: holds other cases than the manifest lists"
    for case in cases.values():
        if case.task.registry != header.registry:
            yield f"{case.id}: is of the registry {case.task.registry!r}, the run of {header.registry!r}"
    if package.manifest.redaction is not None:
        return  # the hashes are those of the full package: they can be compared once its cases are revealed
    expected = [
        ("task hash", header.key.task_hash, task_hash(cases.values())),
        ("oracle hash", header.oracle_hash, oracle_hash(cases.values())),
    ]
    if not any(case.task.fixture for case in cases.values()):
        expected.append(("fixture hash", header.key.fixture_hash, fixture_hash({})))
    for name, found, wanted in expected:
        if wanted != found:
            yield f"{name}: wanted {wanted[:12]} as the cases say, found {found[:12]}"


def _texts(package: Package) -> Iterator[str]:
    folder, provider = package.folder, package.header.provider
    texts = prompt_texts((folder / "prompt.txt").read_text(encoding="utf-8"))
    if digest(texts) != package.header.key.prompt_hash:
        yield "prompt.txt: its texts do not give the prompt hash"
    if provider.chat_template is None:
        return
    if (folder / TEMPLATE).read_text(encoding="utf-8") != provider.chat_template:
        yield f"{TEMPLATE}: is not the template of the header"
    if digest_text(provider.chat_template) != provider.chat_template_sha256:
        yield f"{TEMPLATE}: its SHA-256 is not that of the header"


def prompt_texts(text: str) -> dict[str, str]:
    """The texts by role of a `prompt.txt` as `harnesses.prompts.prompt_file` writes it."""
    pieces = _ROLE.split(text)
    return {role: body.removesuffix("\n\n") for role, body in zip(pieces[1::2], pieces[2::2], strict=True)}


def offer_problems(package: Package, attempts: Sequence[Attempt]) -> Iterator[str]:
    """Attempts whose offered tools are not what the retrieval of the key allows, one sentence each."""
    try:
        spec = RetrievalSpec.recorded(package.header.key.retrieval)
    except UsageError:
        yield f"retrieval: {package.header.key.retrieval[:80]!r} does not exist"
        return
    first: dict[str, Attempt] = {}
    for attempt in attempts:
        name, offered = f"{attempt.task_id} repeat {attempt.repeat}", [one.name for one in attempt.candidates]
        case = package.cases.get(attempt.task_id)
        known = contracts_of(case.task, package.contracts) if case else package.contracts
        unknown = [tool for tool in offered if tool not in known]
        if unknown:
            yield f"{name}: was offered {unknown[0]}, which contracts.jsonl does not hold"
        if on_the_wire(tuple(replace(one, wire_name=None) for one in attempt.candidates)) != attempt.candidates:
            yield f"{name}: records other names on the wire than its tools have"
        if spec.kind == "given" and case is not None and offered != list(case.task.tools):
            yield f"{name}: was offered other tools than its task gives"
        if spec.kind == "lexical" and len(offered) > spec.limit:
            yield f"{name}: was offered {len(offered)} tools under {spec}"
        if first.setdefault(attempt.task_id, attempt).candidates != attempt.candidates:
            yield f"{name}: was offered other tools than in the first attempt at this case"


def place_problems(package: Package) -> Iterator[str]:
    """What does not fit where the package lies: the folder's names, and the registry beside it.

    A package that was moved out of `runs/<registry hash>/` has no such names: see `is_in_place`.
    """
    header, folder = package.header, package.folder.resolve()
    if not is_in_place(package):
        return
    if folder.name != header.run_id:
        yield f"run id: {header.run_id[:80]!r}, in a folder named {folder.name!r}"
    if folder.parent.name != header.key.registry_hash[:12]:
        yield f"registry hash: {header.key.registry_hash[:12]}, below a folder named {folder.parent.name!r}"
    path = folder.parent / REGISTRY
    if path.is_file():
        yield from _contracts_of(package, path)


def _contracts_of(package: Package, path: Path) -> Iterator[str]:
    try:
        contracts = read_registry(path)
    except (BadInputError, OSError) as error:
        yield f"{REGISTRY}: cannot be read: {str(error).splitlines()[0]}"
        return
    if registry_hash(contracts) != package.header.key.registry_hash:
        yield f"{REGISTRY}: its contracts do not give the registry hash of the key"
        return
    known = {contract_digest(one) for one in contracts}
    for contract in package.contracts.values():
        if contract_digest(contract) not in known:
            yield f"contracts.jsonl: {contract.name} is not the contract of the registry with this hash"


def read_registry(path: Path) -> list[ToolContract]:
    """The contracts of a `registry.json`, whatever their hash.

    Raises:
        BadInputError: the file does not read as it should.
        OSError: it cannot be read.
    """
    plain = parse_json(path.read_bytes(), max_bytes=_MAX_REGISTRY_BYTES, where=str(path))
    tools = plain.get("tools") if isinstance(plain, dict) else None
    if not isinstance(tools, list):
        raise BadInputError("there is no list of tools", wanted="an object with `tools`", where=str(path))
    return [from_plain(one, ToolContract, where=str(path)) for one in tools]


def is_in_place(package: Package) -> bool:
    """Whether the package lies in a folder that is named like a registry hash."""
    return _REGISTRY_FOLDER.fullmatch(package.folder.resolve().parent.name) is not None


def unbound(package: Package) -> str | None:
    """Why the contracts cannot be compared with the registry hash; None where they can."""
    if not is_in_place(package):
        return "lies outside a registry folder: run id, folder and contracts were not compared with the registry hash"
    if not (package.folder.resolve().parent / REGISTRY).is_file():
        return f"{REGISTRY} is not beside it: contracts.jsonl was not compared with the registry hash"
    return None


def whole_contracts(package: Package) -> Iterator[str]:
    """Contracts that come twice, or that no offered or expected call can name, one sentence each."""
    lines = (package.folder / "contracts.jsonl").read_bytes().splitlines()
    names = Counter(one.name for one in package.contracts.values())
    shared = any(names[one.name] > 1 and one.imported_from is None for one in package.contracts.values())
    if shared or len(lines) != len(package.contracts):
        yield "contracts.jsonl: a tool comes twice"
    lines = (package.folder / "cases.jsonl").read_bytes().splitlines()
    if len(lines) != len(package.cases):
        yield "cases.jsonl: a case comes twice"

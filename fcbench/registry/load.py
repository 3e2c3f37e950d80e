"""Reading registries from their folders: one YAML file a tool, the file named like the tool."""

from __future__ import annotations

from pathlib import Path

from fcbench.core.contracts import ToolContract, by_key
from fcbench.core.names import ToolName
from fcbench.core.yaml12 import load_yaml
from fcbench.errors import NotFoundError, RegistryError
from fcbench.registry.model import Registry, Source, make_registry


def load_registry(folder: Path) -> Registry:
    """Read one registry: every `*.yaml` below the folder, hidden files and folders left out.

    Raises:
        NotFoundError: the folder does not exist or holds no contract.
        RegistryError: a file is not a contract (with file, line and field), or two files declare one name and are not
            both imported.
    """
    if not folder.is_dir():
        raise NotFoundError(
            "this registry does not exist", wanted="a folder of tool contracts", found=str(folder), where=str(folder)
        )
    read: list[tuple[ToolContract, Source]] = []
    first: dict[ToolName, tuple[ToolContract, Source]] = {}
    for path in _files(folder):
        shown = path.relative_to(folder.parent.parent).as_posix()
        document = load_yaml(path, error=RegistryError, name=shown)
        if not isinstance(document.value, dict):
            raise document.complain("a tool contract is a mapping of fields", wanted="one contract a file")
        contract = document.read(ToolContract)
        source = Source(document=document, folders=path.relative_to(folder).parts[:-1], stem=path.stem)
        earlier, place = first.setdefault(contract.name, (contract, source))
        if earlier is not contract and not (earlier.imported_from and contract.imported_from):
            raise document.complain(
                f"the tool {contract.name} is declared twice",
                "/name",
                wanted="each name once in a registry; only imported contracts may share one",
                found=f"also in {place.document.file}",
                next_step="rename one of them, or remove the copy",
            )
        read.append((contract, source))
    if not read:
        raise NotFoundError("this registry is empty", wanted="at least one *.yaml contract", where=str(folder))
    return make_registry(folder.name, [contract for contract, _ in read], _by_key(read))


def _by_key(read: list[tuple[ToolContract, Source]]) -> dict[ToolName, Source]:
    """The sources under the keys of their contracts; one contract in two files is refused."""
    sources = {id(contract): source for contract, source in read}
    keyed = {key: sources.pop(id(contract)) for key, contract in by_key(contract for contract, _ in read).items()}
    for copy in sources.values():
        raise copy.document.complain(
            "this imported contract is there twice, letter for letter",
            wanted="each contract once in a registry",
            next_step="remove the copy",
        )
    return keyed


def load_registries(root: Path) -> dict[str, Registry]:
    """Every registry below a root: each first-level folder that is not hidden is one.

    Raises:
        NotFoundError: the root does not exist or holds no registry.
        RegistryError: see `load_registry`.
    """
    folders = sorted(each for each in root.iterdir() if _is_registry(each)) if root.is_dir() else []
    if not folders:
        raise NotFoundError(
            "no registry was found",
            wanted="a folder with one folder a registry",
            found="nothing" if root.is_dir() else "no such folder",
            where=str(root),
        )
    return {folder.name: load_registry(folder) for folder in folders}


def _is_registry(folder: Path) -> bool:
    return folder.is_dir() and not folder.name.startswith((".", "_")) and any(_files(folder))


def _files(folder: Path) -> list[Path]:
    found = [path for path in folder.rglob("*.yaml") if path.is_file()]
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))

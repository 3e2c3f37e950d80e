"""Reading registries from their folders: one YAML file a tool, the file named like the tool."""

from __future__ import annotations

from pathlib import Path

from fcbench.core.contracts import ToolContract
from fcbench.core.names import ToolName
from fcbench.core.yaml12 import load_yaml
from fcbench.errors import NotFoundError, RegistryError
from fcbench.registry.model import Registry, Source, make_registry


def load_registry(folder: Path) -> Registry:
    """Read one registry: every `*.yaml` below the folder, hidden files and folders left out.

    Raises:
        NotFoundError: the folder does not exist or holds no contract.
        RegistryError: a file is not a contract (with file, line and field), or two files declare one name.
    """
    if not folder.is_dir():
        raise NotFoundError(
            "this registry does not exist", wanted="a folder of tool contracts", found=str(folder), where=str(folder)
        )
    contracts: dict[ToolName, ToolContract] = {}
    sources: dict[ToolName, Source] = {}
    for path in _files(folder):
        shown = path.relative_to(folder.parent.parent).as_posix()
        document = load_yaml(path, error=RegistryError, name=shown)
        if not isinstance(document.value, dict):
            raise document.complain("a tool contract is a mapping of fields", wanted="one contract a file")
        contract = document.read(ToolContract)
        if contract.name in contracts:
            raise document.complain(
                f"the tool {contract.name} is declared twice",
                "/name",
                wanted="each name once in a registry",
                found=f"also in {sources[contract.name].document.file}",
                next_step="rename one of them, or remove the copy",
            )
        contracts[contract.name] = contract
        folders = path.relative_to(folder).parts[:-1]
        sources[contract.name] = Source(document=document, folders=folders, stem=path.stem)
    if not contracts:
        raise NotFoundError("this registry is empty", wanted="at least one *.yaml contract", where=str(folder))
    return make_registry(folder.name, contracts.values(), sources)


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

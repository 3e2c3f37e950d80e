"""The one seam to libraries that may be missing. No other module imports them.

Biopython and numpy are always there. pyhmmer and pysam come with the extra `workbench`; primer3-py and pyrodigal are
GPL and come with `workbench-gpl` only.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from importlib import metadata
from types import ModuleType
from typing import Literal, get_args

import fcbench
from fcbench.errors import UnavailableError
from fcbench.workbench.errors import ToolError

Engine = Literal["session", "python", "biopython", "numpy", "pyhmmer", "pysam", "primer3-py", "pyrodigal"]
"""What computes an answer. `session`: the session's own state. `python`: code of this package alone."""
ENGINES: tuple[Engine, ...] = get_args(Engine)
_MODULES: dict[Engine, str] = {
    "biopython": "Bio",
    "numpy": "numpy",
    "pyhmmer": "pyhmmer",
    "pysam": "pysam",
    "primer3-py": "primer3",
    "pyrodigal": "pyrodigal",
}
EXTRAS: dict[Engine, str] = {
    "pyhmmer": "workbench",
    "pysam": "workbench",
    "primer3-py": "workbench-gpl",
    "pyrodigal": "workbench-gpl",
}
"""Engine -> the extra that installs it; what is not here is always installed."""
TOLERANT: frozenset[Engine] = frozenset({"primer3-py", "pyhmmer"})
"""Engines for whose numbers a tolerance is stated (GENOMICS, engines): primers, melting temperatures, HMM scores."""


@cache
def engine_version(engine: Engine) -> str | None:
    """The installed version; that of fcbench for our own code; None where the engine is missing."""
    if engine in ("session", "python"):
        return fcbench.__version__
    try:
        return metadata.version(engine)
    except metadata.PackageNotFoundError:
        return None


def engine_label(engine: Engine) -> str:
    """Such as `biopython 1.88`: what every result records."""
    name = {"session": "fcbench session", "python": "fcbench"}.get(engine, engine)
    return f"{name} {engine_version(engine) or 'missing'}"


def require_engine(engine: Engine, installed: Callable[[Engine], str | None] = engine_version) -> None:
    """Refuse to begin a run whose expected tools need an engine that is missing.

    Args:
        engine: what is needed.
        installed: gives the version of an engine, or None.

    Raises:
        UnavailableError: it is not installed.
    """
    if installed(engine) is None:
        extra = EXTRAS.get(engine)
        install = f"install the extra: pip install 'fcbench[{extra}]'" if extra else "install fcbench again"
        raise UnavailableError(
            "an engine that an expected tool needs is not installed",
            wanted=engine,
            next_step=f"{install}, or run the subset no-gpl" if extra == "workbench-gpl" else install,
        )


@cache
def _load(engine: Engine) -> ModuleType | None:
    try:
        return importlib.import_module(_MODULES[engine])
    except ImportError:
        return None


def _engine(engine: Engine) -> ModuleType:
    module = _load(engine)
    if module is None:
        raise ToolError("engine_unavailable", f"{engine} is not installed here; the extra {EXTRAS[engine]} holds it")
    return module


def pyhmmer_engine() -> ModuleType:
    """The module `pyhmmer`.

    Raises:
        ToolError: `engine_unavailable`.
    """
    return _engine("pyhmmer")


def pysam_engine() -> ModuleType:
    """The module `pysam`.

    Raises:
        ToolError: `engine_unavailable`.
    """
    return _engine("pysam")


def primer3_engine() -> ModuleType:
    """The module `primer3` (GPL).

    Raises:
        ToolError: `engine_unavailable`.
    """
    return _engine("primer3-py")


def pyrodigal_engine() -> ModuleType:
    """The module `pyrodigal` (GPL).

    Raises:
        ToolError: `engine_unavailable`.
    """
    return _engine("pyrodigal")

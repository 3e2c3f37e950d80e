"""Everything once, offline, on the embedded default: controls, a local model if there is one, tables, site, dataset."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from fcbench.errors import UnavailableError
from fcbench.packages.store import Package
from fcbench.workflows.build_site import Built, SiteRequest, build
from fcbench.workflows.export_dataset import Exported, export
from fcbench.workflows.header import slug
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.run import RunRequest, run
from fcbench.workflows.score import score
from fcbench.workflows.tabulate import Tables, tabulate

CONTROLS = ("oracle", "lexical", "random", "null")
SUBSET = "quick"

Note = Callable[[str], None]


@dataclass(frozen=True)
class QuickstartReport:
    """What a quickstart made."""

    output: Path
    packages: tuple[Package, ...]
    tables: Tables
    site: Built
    dataset: Exported
    advice: tuple[str, ...]
    seconds: float

    def text(self) -> str:
        """Tables, then where to look."""
        lines = [
            self.tables.text(),
            "",
            f"{len(self.packages)} packages sealed and judged in {self.seconds:.0f} s",
            f"  packages  {self.output / 'runs'}",
            f"  site      {self.site.index}",
            f"  dataset   {self.dataset.output}",
            f"verify with: fcbench verify {self.output / 'runs'}",
            *self.advice,
        ]
        return "\n".join(lines)

    def data(self) -> object:
        """As plain JSON values."""
        return {
            "packages": [str(package.folder) for package in self.packages],
            "tables": self.tables.data(),
            "site": self.site.data(),
            "dataset": self.dataset.data(),
            "advice": list(self.advice),
            "seconds": round(self.seconds, 3),
        }


def quickstart(project: Path | None, output: Path, *, gguf: Path | None, note: Note) -> QuickstartReport:
    """Run the whole product once.

    Args:
        project: a project folder; the embedded default without.
        output: gets `runs/`, `site/` and `dataset/`; an earlier quickstart there is continued.
        gguf: a model file to run as well.
        note: told what is going on.

    Raises:
        UnavailableError: a model file is named and the extra `local` is missing.
        BadInputError: the model file is not GGUF.
        WriteError: the output cannot be written.
    """
    begun = time.monotonic()
    _check_local(gguf)
    material = load(find_project(project))
    models = [f"scripted:{name}" for name in CONTROLS] + ([f"llama_server:{gguf}"] if gguf else [])
    packages = []
    for target in _targets(material):
        for model in models:
            note(f"running {target} against {model}")
            packages.append(_run_once(material, target, model, output / "runs"))
    runs = output / "runs"
    note("making tables, site and dataset")
    return QuickstartReport(
        output=output,
        packages=tuple(packages),
        tables=tabulate(runs),
        site=build(SiteRequest(runs=runs, project=project), output / "site"),
        dataset=export(runs, output / "dataset"),
        advice=() if gguf else _advice(),
        seconds=time.monotonic() - begun,
    )


def _targets(material: Material) -> tuple[str, ...]:
    subset = material.suites.subsets[SUBSET]
    return tuple(f"{collection}/{SUBSET}" for collection in subset.cases)


def _run_once(material: Material, target: str, model: str, runs: Path) -> Package:
    # A fixed id: a second quickstart in the same place finds what the first one sealed.
    run_id = f"quickstart-{slug(target)}-{slug(Path(model).name)}"
    package = run(material, RunRequest(target=target, model=model, run_id=run_id), runs)
    score(package)
    return package


def _check_local(gguf: Path | None) -> None:
    if gguf is not None and find_spec("xllamacpp") is None:
        raise UnavailableError(
            "a local model needs the extra `local`",
            wanted="the llama.cpp server",
            found="it is not installed",
            next_step="pip install 'fcbench[local]', or leave out --gguf and FCBENCH_GGUF",
        )


def _advice() -> tuple[str, ...]:
    install = () if find_spec("xllamacpp") else ("  install the local engine: pip install 'fcbench[local]'",)
    return (
        "no model was run: these are controls, which mark floor and ceiling and are never ranked. For a real one:",
        *install,
        "  take any GGUF file of an instruction model: fcbench quickstart --gguf FILE (or set FCBENCH_GGUF)",
        "  or an endpoint: fcbench run complex-schema-nl/quick --model openai_chat:MODEL --base-url URL",
    )

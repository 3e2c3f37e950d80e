"""Kills a run with SIGKILL at random moments, resumes it each time, and compares what it seals with an undisturbed run.

`python -m tests.engine.kill_run FOLDER --kills 200 --seed 1` prints what it did as JSON. The project is loaded once and
each command is a forked child, so that a kill costs milliseconds and not a start of Python.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import time
import traceback
from pathlib import Path

import openai
from msgspec.structs import replace

import fcbench.providers.opening
from fcbench.core.names import JsonObject
from fcbench.packages.store import Package, open_package
from fcbench.providers.catalog import ProviderOptions
from fcbench.workflows.project import Material, find_project, load
from fcbench.workflows.run import RunRequest, run
from tests.engine.answering import answering
from tests.engine.timeless import timeless

CONCURRENCY = 8
LOADED = (openai, fcbench.providers.opening)
"""Imported before a child is forked: else most kills would hit an import."""
TARGETS = ("complex-schema-nl/quick", "genomics/quick")
"""One on the contract harness with several repeats, one on the workbench with several rounds."""


class Killer:
    """Runs one target again and again, killing most of the commands."""

    def __init__(self, material: Material, target: str, url: str, root: Path, rng: random.Random) -> None:
        self._material = material
        self._request = RunRequest(
            target=target,
            model="openai_chat:answering",
            options=ProviderOptions(base_url=url),
            concurrency=CONCURRENCY,
            repeats=3,
        )
        self._root = root
        self._rng = rng
        self.kills = 0
        self.sealed = 0
        self.progress: list[int] = []
        """Attempts in the journal after each kill."""
        self._run("warm-up")  # here and not in a child, so that children inherit what is compiled on first use
        begun = time.monotonic()
        self.wanted = timeless(self._run("undisturbed"))
        self.lines = int(str(self.wanted["lines"]))
        self.usual_s = time.monotonic() - begun

    def _run(self, run_id: str) -> Package:
        return run(self._material, replace(self._request, run_id=run_id), self._root)

    def _sealed(self, run_id: str) -> Package:
        status = self._child(run_id, None)
        assert os.waitstatus_to_exitcode(status) == 0, f"the run {run_id} failed"
        return open_package(self._folder(run_id))

    def _folder(self, run_id: str) -> Path:
        (parent,) = [path for path in self._root.iterdir() if path.is_dir()]
        return parent / run_id

    def _child(self, run_id: str, kill_after_s: float | None) -> int:
        """The wait status of one command in a child of its own."""
        child = os.fork()
        if child == 0:
            code = 1
            try:
                self._run(run_id)
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        if kill_after_s is not None:
            time.sleep(kill_after_s)
            os.kill(child, signal.SIGKILL)
        return os.waitpid(child, 0)[1]

    def seal_one(self, most_kills: int) -> None:
        """One run from its start to its seal, with kills on the way."""
        run_id = f"killed-{self.sealed}"
        for _ in range(most_kills):
            status = self._child(run_id, self._rng.uniform(0, self.usual_s))
            if not os.WIFSIGNALED(status):
                assert os.waitstatus_to_exitcode(status) == 0, f"the run {run_id} failed"
                break
            self.kills += 1
            self.progress.append(_lines(self._root, run_id))
        # Once more: it ends what is open, and finds what is sealed.
        found = timeless(self._sealed(run_id))
        differing = [name for name in self.wanted if found[name] != self.wanted[name]]
        assert not differing, f"{run_id} differs in {differing}"
        self.sealed += 1


def _lines(root: Path, run_id: str) -> int:
    places = [*root.glob(f"*/{run_id}.partial/attempts.jsonl"), *root.glob(f"*/{run_id}/attempts.jsonl")]
    return places[0].read_bytes().count(b"\n") if places else 0


def kill(root: Path, kills: int, seed: int) -> JsonObject:
    """Kill runs of all targets in turn until enough kills have hit a command at work."""
    material, rng = load(find_project()), random.Random(seed)
    with answering() as url:
        killers = [
            Killer(material, target, url, root / f"target-{number}", rng) for number, target in enumerate(TARGETS)
        ]
        while (left := kills - sum(one.kills for one in killers)) > 0:
            killers[sum(one.sealed for one in killers) % len(killers)].seal_one(left)
    return {
        "kills": sum(one.kills for one in killers),
        "sealed": sum(one.sealed for one in killers),
        "seed": seed,
        "concurrency": CONCURRENCY,
        "by_target": {
            target: {
                "kills": one.kills,
                "sealed": one.sealed,
                "attempts": one.lines,
                "kills_with_attempts_open_and_done": sum(0 < lines < one.lines for lines in one.progress),
                "kills_while_sealing": sum(lines == one.lines for lines in one.progress),
            }
            for target, one in zip(TARGETS, killers, strict=True)
        },
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(json.dumps(kill(given.folder, given.kills, given.seed)))  # noqa: T201

"""A package as an Inspect log: the `.eval` file that `inspect view` shows and `inspect_ai.log.read_eval_log` reads.

The file is a ZIP with a header, one JSON file a sample and their summaries (log version 2). A sample is an attempt, its
epoch the repeat; rounds are messages, and each tier is a scorer. Equal packages give equal bytes.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

from fcbench import __version__
from fcbench.core.records import Record
from fcbench.export.inspect_sample import sample_of, stamp, summary_of
from fcbench.export.judged import JudgedRun
from fcbench.export.rows import Row
from fcbench.packages.files import is_there, write_error

LOG_VERSION = 2
_EPOCH = (1980, 1, 1, 0, 0, 0)
_METRICS = ("strict", "strict_low", "strict_high", "restraint_accuracy", "completion")


class InspectLog(Record, frozen=True, kw_only=True):
    """What was written."""

    run_id: str
    path: str
    samples: int
    errors: int
    """Samples without an outcome that may be judged: they carry an error and no score."""


class _Totals:
    """What the header says of all samples."""

    def __init__(self) -> None:
        self.samples = self.errors = 0
        self.right: dict[str, int] = {}
        self.judged: dict[str, int] = {}
        self.ended = ""
        self.usage = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}

    def add(self, sample: Row, verdicts: dict[str, bool], usage: Row | None) -> None:
        self.samples += 1
        self.errors += sample["error"] is not None
        self.ended = max(self.ended, str(sample["completed_at"]))
        for tier, passed in verdicts.items():
            self.judged[tier] = self.judged.get(tier, 0) + 1
            self.right[tier] = self.right.get(tier, 0) + passed
        for name in self.usage if usage else ():
            self.usage[name] += int(str((usage or {})[name]))


def write_inspect_log(run: JudgedRun, folder: Path) -> InspectLog:
    """Write the log of one run into a folder; an earlier log of the same run is replaced.

    Raises:
        PackageError: a file of the package does not read.
        WriteError: the folder cannot be written; nothing is left half-written.
    """
    header = run.package.header
    begun = stamp(header.created_at)
    name = f"{begun.replace(':', '-')}_{_word(header.key.collection)}_{_task_id(run)}.eval"
    path = folder / name
    scratch = folder / f".{name}.{os.getpid()}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        totals = _write(run, scratch)
        scratch.replace(path)
    except OSError as error:
        raise write_error(path, error) from error
    finally:
        if is_there(scratch):
            scratch.unlink()
    return InspectLog(run_id=header.run_id, path=str(path), samples=totals.samples, errors=totals.errors)


def _write(run: JudgedRun, path: Path) -> _Totals:
    totals, summaries = _Totals(), []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        _put(archive, "_journal/start.json", {"version": LOG_VERSION, "eval": _spec(run), "plan": _plan(run)})
        for sample, verdicts, usage in _samples(run):
            _put(archive, f"samples/{_word(str(sample['id']))}_epoch_{sample['epoch']}.json", sample)
            summaries.append(summary_of(sample))
            totals.add(sample, verdicts, usage)
        _put(archive, "summaries.json", summaries)
        _put(archive, "header.json", _header(run, totals))
    return totals


def _samples(run: JudgedRun) -> Iterator[tuple[Row, dict[str, bool], Row | None]]:
    model = run.package.header.provider.model
    for judged in run.attempts():
        sample = sample_of(judged, run.package.header.run_id, model)
        used = sample["model_usage"]
        usage = used.get(model) if isinstance(used, dict) else None
        yield sample, {one.tier: one.passed for one in judged.verdicts}, usage


def _header(run: JudgedRun, totals: _Totals) -> Row:
    header, model = run.package.header, run.package.header.provider.model
    stats = {
        "started_at": stamp(header.created_at),
        "completed_at": totals.ended or stamp(run.package.manifest.sealed_at),
        "model_usage": {model: totals.usage} if totals.usage["total_tokens"] else {},
    }
    results = {
        "total_samples": totals.samples,
        "completed_samples": totals.samples - totals.errors,
        "scores": [_score(run, tier, totals) for tier in sorted(totals.judged)],
    }
    return {
        "version": LOG_VERSION,
        "status": "success",
        "eval": _spec(run),
        "plan": _plan(run),
        "results": results,
        "stats": stats,
        "error": None,
    }


def _score(run: JudgedRun, tier: str, totals: _Totals) -> Row:
    """The metrics of a tier: the share of scored samples that are right, and the numbers of the run's board."""
    found: Row = {"accuracy": totals.right[tier] / totals.judged[tier]}
    found |= {name: value for name in _METRICS if (value := run.boards.get(tier, {}).get(name)) is not None}
    return {
        "name": tier,
        "scorer": tier,
        "reducer": None,
        "scored_samples": totals.judged[tier],
        "unscored_samples": totals.samples - totals.judged[tier],
        "params": {"evaluator_version": run.info.evaluator_version, "oracle_hash": run.info.oracle_hash},
        "metrics": {name: {"name": name, "value": value, "params": {}} for name, value in found.items()},
    }


def _spec(run: JudgedRun) -> Row:
    package, header = run.package, run.package.header
    ids = [case.id for case in run.cases]
    return {
        "eval_id": header.run_id,
        "run_id": header.run_id,
        "created": stamp(header.created_at),
        "task": header.key.collection,
        "task_id": _task_id(run),
        "task_version": 0,
        "task_attribs": {},
        "task_args": {},
        "dataset": {"name": header.key.collection, "samples": len(ids), "sample_ids": ids, "shuffled": False},
        "model": header.provider.model,
        "model_generate_config": _sampling(run),
        "model_args": {},
        "config": {"epochs": package.manifest.repeats_done},
        "packages": {"fcbench": header.versions.get("fcbench", __version__)},
        "tags": [header.purpose, header.key.harness, header.key.harness_mode],
        "metadata": {
            "purpose": header.purpose,
            "provider": header.provider.provider,
            "control": header.provider.control,
            "complete": package.manifest.complete,
            "board": {name: getattr(header.key, name) for name in header.key.__struct_fields__},
            "oracle_hash": run.info.oracle_hash,
            "evaluator_version": run.info.evaluator_version,
            "exported_by": f"fcbench {__version__}",
        },
    }


def _plan(run: JudgedRun) -> Row:
    key = run.package.header.key
    params = {"harness_mode": key.harness_mode, "retrieval": key.retrieval, "decoding": key.decoding}
    return {"name": "fcbench", "steps": [{"solver": f"fcbench/{key.harness}", "params": params}], "config": {}}


def _sampling(run: JudgedRun) -> Row:
    sampling = run.package.header.sampling
    return {"temperature": sampling.temperature, "seed": sampling.seed, "max_tokens": sampling.max_output_tokens}


def _put(archive: zipfile.ZipFile, name: str, value: object) -> None:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, json.dumps(value, allow_nan=False))


def _task_id(run: JudgedRun) -> str:
    """The run id without punctuation: Inspect reads it from the file's name up to the first hyphen."""
    return "".join(filter(str.isalnum, run.package.header.run_id))[:200]


def _word(text: str) -> str:
    """Text as a part of a file name."""
    return "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in text)[:200]

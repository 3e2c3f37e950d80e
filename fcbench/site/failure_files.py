"""The raw records of each model's failed attempts: one file a model instead of one an attempt."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from fcbench.core.names import CaseId
from fcbench.site.data import RunView, SiteData
from fcbench.site.keeping import kept
from fcbench.site.pages import Asset, key_of
from fcbench.site.slugs import failures_path


def failure_files(data: SiteData) -> Iterator[Asset]:
    """JSON Lines, packed with gzip, one line a failed attempt.

    A line is an object: where the attempt comes from, its faults at the headline tier of its run, and under `attempt`
    the line of its package, byte for byte.
    """
    for model, runs in data.models.items():
        failed = [(run, key) for run in runs for key in run.entries if run.status(*key).kind == "fail"]
        if failed:
            yield Asset(path=failures_path(model), content=_packed(runs, failed))


def _packed(runs: Sequence[RunView], failed: Sequence[tuple[RunView, tuple[CaseId, int]]]) -> bytes:
    key = key_of([run.key for run in runs])
    return kept("failures", key, lambda: _gzip(_line(run, *which) for run, which in failed))


def _line(run: RunView, task_id: CaseId, repeat: int) -> bytes:
    verdict = run.verdict(task_id, repeat)
    about = {
        "run_id": run.manifest.run_id,
        "package": run.home,
        "collection": run.manifest.header.key.collection,
        "harness_mode": run.manifest.header.key.harness_mode,
        "tier": run.headline,
        "faults": verdict.faults if verdict else (),
    }
    # The record is put in as it is: its digest stands in the package's manifest.
    return msgspec.json.encode(about)[:-1] + b',"attempt":' + run.raw_attempt(task_id, repeat) + b"}\n"


def _gzip(lines: Iterable[bytes]) -> bytes:
    stream = io.BytesIO()
    # Without a time stamp, so that the same records give the same bytes.
    with gzip.GzipFile(fileobj=stream, mode="wb", mtime=0, compresslevel=6) as packed:
        for line in lines:
            packed.write(line)
    return stream.getvalue()

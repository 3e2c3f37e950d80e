"""A package as a record of Every Eval Ever: an aggregate file and an instance file (schemas of version 0.3.0).

The aggregate has one result for each metric of each board that the run stands on; the instance file has a line for each
attempt at each tier. The files lie where that project's data store wants them, and equal packages give equal bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from fcbench import __version__
from fcbench.aggregate.verdict_columns import json_text
from fcbench.core.canonical import digest_text
from fcbench.core.records import Record, to_plain
from fcbench.export.eee_instance import SCHEMA_VERSION, instances
from fcbench.export.judged import JudgedRun
from fcbench.export.rows import Row
from fcbench.packages.files import write_error, write_whole

_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")
_METRICS = {
    "strict": "Share of the cases where calls are due that passed: mean over cases of the share of passed attempts.",
    "restraint_accuracy": "Share of the cases where no call is due that passed.",
    "partial": "Mean partial score of the cases where calls are due.",
    "completion": "Share of planned attempts with an outcome that may be judged.",
}
"""Columns of a board that become results; each runs from 0 to 1, and higher is better."""


class EeeRecord(Record, frozen=True, kw_only=True):
    """What was written."""

    run_id: str
    aggregate: str
    instances: str
    results: int
    lines: int


def write_eee(run: JudgedRun, folder: Path, *, organisation: str, relationship: str = "other") -> EeeRecord:
    """Write both files of one run below `folder/data/`; earlier ones of the same run are replaced.

    Args:
        run: what is written.
        folder: below which the data store's own tree begins.
        organisation: who evaluated.
        relationship: of the organisation to the model: `first_party`, `third_party`, `collaborative` or `other`.

    Raises:
        PackageError: a file of the package does not read.
        WriteError: the folder cannot be written; no file is left half-written.
    """
    header = run.package.header
    model = model_id(header.provider.model)
    place = "/".join(["data", _part(header.key.collection), *(_part(word) for word in model.split("/"))])
    name = _uuid(header.run_id)
    evaluation = f"{_part(header.key.collection)}/{model.replace('/', '_')}/{_epoch(header.created_at)}"
    lines = Counted(instances(run, evaluation, model))
    aggregate, companion = folder / place / f"{name}.json", folder / place / f"{name}_samples.jsonl"
    try:
        companion.parent.mkdir(parents=True, exist_ok=True)
        checksum = write_whole(companion, lines.encoded())
        results = list(_results(run))
        whole = _aggregate(run, evaluation, organisation, relationship, results)
        if lines.count:
            whole["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": f"{place}/{name}_samples.jsonl",
                "hash_algorithm": "sha256",
                "checksum": checksum,
                "total_rows": lines.count,
            }
        write_whole(aggregate, (json.dumps(whole, indent=1, allow_nan=False) + "\n").encode())
    except OSError as error:
        raise write_error(companion, error) from error
    return EeeRecord(
        run_id=header.run_id,
        aggregate=str(aggregate),
        instances=str(companion),
        results=len(results),
        lines=lines.count,
    )


class Counted:
    """Lines of JSON, counted as they pass."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._rows = rows
        self.count = 0

    def encoded(self) -> Iterator[bytes]:
        """One row a line."""
        for row in self._rows:
            self.count += 1
            yield json.dumps(row, allow_nan=False).encode() + b"\n"


def model_id(model: str) -> str:
    """A model's name as DEVELOPER/MODEL; `unknown` is the developer where the name says none."""
    developer, _, rest = model.partition("/")
    return f"{_part(developer)}/{_part(rest)}" if rest else f"unknown/{_part(model)}"


def _aggregate(run: JudgedRun, evaluation: str, organisation: str, relationship: str, results: list[Row]) -> Row:
    package, header = run.package, run.package.header
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation,
        "evaluation_timestamp": header.created_at,
        # The record follows from the package, so its time is that of sealing and not of this moment.
        "retrieved_timestamp": _epoch(package.manifest.sealed_at),
        "source_metadata": {
            "source_name": "fcbench execution package",
            "source_type": "evaluation_run",
            "source_organization_name": organisation,
            "evaluator_relationship": relationship,
            "additional_details": {"run_id": header.run_id, "purpose": header.purpose},
        },
        "eval_library": {
            "name": "fcbench",
            "version": header.versions.get("fcbench", __version__),
            "additional_details": {
                "evaluator_version": str(run.info.evaluator_version),
                "oracle_hash": run.info.oracle_hash,
                "exported_by": f"fcbench {__version__}",
            },
        },
        "model_info": _model_info(run),
        "evaluation_results": results,
    }


def _model_info(run: JudgedRun) -> Row:
    provider = run.package.header.provider
    known = {"engine": provider.engine, "quantisation": provider.quantisation, "model_sha256": provider.model_sha256}
    where = "externally_managed" if provider.endpoint.startswith("public:") else "self_deployed"
    return {
        "name": provider.model,
        "id": model_id(provider.model),
        "inference_platform": provider.provider,
        "additional_details": {
            "deployment_type": "unknown" if provider.endpoint == "none" else where,
            # Weights lay before us where their digest is known; of others we cannot tell.
            "model_availability": "open_weights" if provider.model_sha256 else "unknown",
            "control": json_text(provider.control),
            **{name: str(value) for name, value in known.items() if value is not None},
        },
    }


def _results(run: JudgedRun) -> Iterator[Row]:
    for tier, row in sorted(run.boards.items()):
        for metric, description in _METRICS.items():
            score = row.get(metric)
            if score is not None:
                yield _result(run, tier, metric, row, description)


def _result(run: JudgedRun, tier: str, metric: str, row: Row, description: str) -> Row:
    header, low, high = run.package.header, row.get(f"{metric}_low"), row.get(f"{metric}_high")
    details: Row = {"score": row[metric], "details": {"denominator": str(row.get(f"{metric}_n"))}}
    if low is not None and high is not None:
        note = str(row.get("strict_note") or "") if metric == "strict" else ""
        bounds = {"lower": low, "upper": high, "confidence_level": 0.95, **({"method": note} if note else {})}
        details["uncertainty"] = {"confidence_interval": bounds, "num_samples": row.get(f"{metric}_n")}
    sampling = header.sampling
    return {
        "evaluation_result_id": f"{tier}/{metric}",
        "evaluation_name": f"{header.key.collection}/{tier}/{metric}",
        "source_data": {
            "dataset_name": header.key.collection,
            "source_type": "other",
            "additional_details": {name: str(value) for name, value in to_plain(header.key).items()},
        },
        "metric_config": {
            "evaluation_description": description,
            "metric_id": f"fcbench.{tier}.{metric}",
            "metric_name": metric,
            "metric_kind": "accuracy" if metric in ("strict", "restraint_accuracy") else "rate",
            "metric_unit": "proportion",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": details,
        "generation_config": {
            "generation_args": {"temperature": sampling.temperature, "max_tokens": sampling.max_output_tokens},
            "additional_details": {"seed": json_text(sampling.seed), "decoding": sampling.decoding},
        },
    }


def _part(text: str) -> str:
    """Text as a part of a path that every system takes."""
    return _PLAIN.sub("-", text).strip(".-")[:100] or "unnamed"


def _uuid(run_id: str) -> str:
    """A UUID of version 4's form that follows from the run id, so that a second export replaces the first."""
    letters = digest_text(f"fcbench every_eval_ever {run_id}")
    variant = "89ab"[int(letters[16], 16) % 4]
    return f"{letters[:8]}-{letters[8:12]}-4{letters[13:16]}-{variant}{letters[17:20]}-{letters[20:32]}"


def _epoch(text: str) -> str:
    """Seconds since 1970 of a time in the evidence."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:  # evidence from elsewhere
        return "0"
    return str((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())

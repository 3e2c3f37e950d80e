"""What `fcbench run` says: while it works, and at its end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from fcbench.cli.output import Output
from fcbench.core.evidence import Attempt
from fcbench.errors import UsageError
from fcbench.packages.store import Package
from fcbench.providers.catalog import ProviderOptions
from fcbench.suites.held_out import Secrets, read_secrets
from fcbench.suites.model import Suites

_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)([smhd]?)")
_UNIT_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_LONGEST_S = 10 * 365 * 86_400.0


def read_repeats(text: str | None) -> tuple[int | None, bool]:
    """The number of repeats, and whether it is `auto`.

    Raises:
        UsageError: the text is neither a number from 1 to 100 nor `auto`.
    """
    if text is None or text == "auto":
        return None, text == "auto"
    if not text.isdecimal() or not 1 <= int(text) <= 100:
        raise UsageError(
            "the number of repeats does not read",
            wanted="a number from 1 to 100, or auto",
            found=text[:80],
            where="--repeats",
            next_step="leave the option out to take the collection's number",
        )
    return int(text), False


def read_duration(text: str | None, option: str) -> float | None:
    """Seconds from a text such as `90s`, `30m`, `8h` or `2d`; a number alone is seconds.

    Raises:
        UsageError: the text is no duration above 0.
    """
    if text is None:
        return None
    found = _DURATION.fullmatch(text.strip())
    seconds = float(found[1]) * _UNIT_S[found[2] or "s"] if found else 0.0
    if not 0 < seconds < _LONGEST_S:
        raise UsageError(
            "the time does not read",
            wanted="a number with s, m, h or d, such as 90s, 30m, 8h",
            found=text[:80],
            where=option,
        )
    return seconds


def read_options(pairs: Sequence[str], *, base_url: str | None, api_key_env: str | None) -> ProviderOptions:
    """The provider's options from `NAME=VALUE` texts and the two that have flags of their own.

    Raises:
        UsageError: a text has another form, there is no such option, or its value does not read.
    """
    given: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or name not in ProviderOptions.__struct_fields__:
            known = ", ".join(ProviderOptions.__struct_fields__)
            raise UsageError("--option does not read", wanted=f"NAME=VALUE with a name of {known}", found=pair[:120])
        given[name] = value
    flags = {"base_url": base_url, "api_key_env": api_key_env}
    given |= {name: value for name, value in flags.items() if value is not None}
    try:
        return msgspec.convert(given, ProviderOptions, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError("--option has a value of the wrong type", found=str(error)) from error


def opened_secrets(path: Path | None, engine: str = "local") -> Secrets | None:
    """The secret file of sealed cases, where one is named.

    Raises:
        UsageError: workers of a cluster would have to read it too.
        NotFoundError: it cannot be read.
        SuiteError: it does not read as it should.
    """
    if path is None:
        return None
    if engine == "ray":
        raise UsageError(
            "held-out cases are not run on a cluster: its workers would need the secret file",
            wanted="--engine local",
            found="--engine ray with --held-out",
            where="--held-out",
            next_step="leave --engine out, or run shards with `--shard i/n` where the secret file may lie",
        )
    return read_secrets(path.expanduser())


def note_sealed(printer: Output, suites: Suites, *targets: str) -> None:
    """Say of each target how many of its cases are left out because nobody opened them."""
    for target in dict.fromkeys(targets):
        if sealed := suites.sealed_in(target):
            printer.note(
                f"{len(sealed)} sealed cases of {target} are not run: their secret file (--held-out) is not here"
            )


def attempt_note(attempt: Attempt, done: int, planned: int) -> str:
    """One line on an attempt that has ended."""
    calls = ", ".join(call.name[:80] for call in attempt.calls[:4]) or "no call"
    return (
        f"[{done}/{planned}] {attempt.task_id} repeat {attempt.repeat}: {attempt.outcome} "
        f"in {attempt.duration_s:.1f} s, {len(attempt.rounds)} rounds, {calls[:160]}"
    )


def _next(package: Package) -> str:
    shard = package.header.shard
    if shard is not None:
        return f"next: when all {shard.of} shards are there, fcbench package merge {package.folder.parent.parent}"
    return f"next: fcbench tables {package.folder.parent}"


def run_report(package: Package) -> tuple[str, object]:
    """Text and data about a sealed package."""
    manifest = package.manifest
    counts = ", ".join(f"{number} {name}" for name, number in manifest.counts.items())
    lines = [
        f"sealed  {package.folder}",
        f"  {manifest.header.key.collection} against {manifest.header.provider.model}: {counts}",
        f"  {'complete' if manifest.complete else 'INCOMPLETE: shown with bounds, never ranked'}",
        _next(package),
    ]
    data = {
        "package": str(package.folder),
        "run_id": manifest.run_id,
        "complete": manifest.complete,
        "counts": manifest.counts,
        "deterministic": manifest.deterministic,
    }
    return "\n".join(lines), data

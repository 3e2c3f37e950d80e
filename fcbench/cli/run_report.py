"""What `fcbench run` says: while it works, and at its end."""

from __future__ import annotations

from fcbench.cli.output import Output
from fcbench.errors import UsageError
from fcbench.packages.store import Package
from fcbench.workflows.run import Listener, Progress


def read_repeats(text: str | None) -> tuple[int | None, bool]:
    """The number of repeats, and whether it is `auto`.

    Raises:
        UsageError: the text is neither a number from 1 to 100 nor `auto`.
    """
    if text is None or text == "auto":
        return None, text == "auto"
    if not text.isdecimal() or not 1 <= int(text) <= 100:
        raise UsageError("--repeats does not read", wanted="a number from 1 to 100, or auto", found=text)
    return int(text), False


def progress_note(printer: Output) -> Listener:
    """A listener that says one line an attempt on stderr."""

    def note(progress: Progress) -> None:
        attempt = progress.attempt
        calls = ", ".join(call.name for call in attempt.calls[:4]) or "no call"
        printer.note(
            f"[{progress.done}/{progress.planned}] {attempt.task_id} repeat {attempt.repeat}: {attempt.outcome} "
            f"in {attempt.duration_s:.1f} s, {len(attempt.rounds)} rounds, {calls[:160]}"
        )

    return note


def run_report(package: Package) -> tuple[str, object]:
    """Text and data about a sealed package."""
    manifest = package.manifest
    counts = ", ".join(f"{number} {name}" for name, number in manifest.counts.items())
    lines = [
        f"sealed  {package.folder}",
        f"  {manifest.header.key.collection} against {manifest.header.provider.model}: {counts}",
        f"  {'complete' if manifest.complete else 'INCOMPLETE: shown with bounds, never ranked'}",
        f"next: fcbench tables {package.folder.parent}",
    ]
    data = {
        "package": str(package.folder),
        "run_id": manifest.run_id,
        "complete": manifest.complete,
        "counts": manifest.counts,
        "deterministic": manifest.deterministic,
    }
    return "\n".join(lines), data

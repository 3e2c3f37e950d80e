"""Break the evaluator in many places, one at a time, and see which tests notice.

Run by hand: `python -m tests.evaluator.mutation_run [name ...]`. The package and its tests are copied to a temporary
folder; each place is broken there, and `test_conformance.py`, `test_properties.py` and `test_laws.py` are run until the
first failure. A break that no test notices survives: then a row is missing. A place whose text is no longer in the code
is stale, and one that does not even import is unusable: both have to be written anew. Takes about three minutes on two
cores. `docs/explanation/measurements.md` holds the last result.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("fcbench", "tests", "pyproject.toml", "docs/reference")
TESTS = ("test_conformance.py", "test_properties.py", "test_laws.py")


class Break(NamedTuple):
    """One place: a module of the evaluator, the text there, and what stands there instead."""

    name: str
    module: str
    text: str
    broken: str


PLACES = [
    Break("equivalents-cost-nothing", "matching", "_EQUIVALENT = 1 * _TIE", "_EQUIVALENT = 0"),
    Break("order-costs-more", "matching", "_WRONG_ORDER = 9 * _TIE", "_WRONG_ORDER = 11 * _TIE"),
    Break("unmatched-is-cheap", "matching", "_UNMATCHED = 1_000_000 * _TIE", "_UNMATCHED = _FAULT"),
    Break("same-round-is-a-source", "matching", "source.round >= call.round", "source.round > call.round"),
    Break("failed-call-is-a-source", "matching", "not source.call.succeeded or", ""),
    Break("success-never-preferred", "matching", "self.rules.needs_success and not call.call.succeeded", "False"),
    Break("ties-to-the-latest", "matching", "+ other + call.index", "+ other - call.index"),
    Break("greedy", "matching", "if _faults(self.best_cost) > _faults(bound):", "if False:"),
    Break("validity-never-preferred", "matching", "flaws = (not call.valid) +", "flaws ="),
    Break("no-order-at-strict", "rules", "ordered = self.strict and", "ordered = False and"),
    Break("blocks-are-ordered", "rules", "(step.block is None or step.block != other.block)", "True"),
    Break("after-in-the-same-round", "rules", "taken.round >= call.round", "taken.round > call.round"),
    Break("success-of-call-only", "rules", "not self.strict and not self.call_only", "not self.strict"),
    Break("may-omit-ignored", "arguments", "if key in observed or key not in may_omit}", "if True}"),
    Break("default-not-compared", "arguments", "and matches(value, defaults[key])", ""),
    Break(
        "extra-default-not-compared",
        "arguments",
        "key in defaults and json_equal(value, defaults[key])",
        "key in defaults",
    ),
    Break("neutral-ignored", "arguments", "key in contract.neutral_arguments or", "False or"),
    Break("form-offset-ignored", "arguments", "plain + value.offset", "plain"),
    Break("form-by-presence", "arguments", 'return {"$exact": value.values[plain]}', 'return {"$any": {}}'),
    Break(
        "condition-ignored",
        "arguments",
        "if key in expected:\n                return False",
        "if False:\n                return False",
    ),
    Break("constant-ignored", "arguments", 'return {"$exact": value.constant}', 'return {"$any": {}}'),
    Break("set-is-a-list", "values", "owner[index] = wanted\n                return True", "return False"),
    Break("tolerance-takes-true", "values", "isinstance(found, bool) or not", "not"),
    Break(
        "tolerance-without-end",
        "values",
        "distance <= limit or math.isclose(distance, limit, rel_tol=1e-9)",
        "distance < limit",
    ),
    Break("regex-part", "values", "re.fullmatch(", "re.search("),
    Break("dna-keeps-u", "values", '.replace("U", "T")', ""),
    Break("extra-items-free", "values", "min(len(found), len(expected) + MAX_DIFFERENCES)", "len(expected)"),
    Break("extra-keys-free", "values", "if key not in expected:", "if False:"),
    Break("follow-ups-refused", "extras", "contract.name in other.follow_ups", "False"),
    Break("views-always-tolerated", "extras", "and not expects_view(needed)", ""),
    Break("capability-refused", "extras", "contract.capability == other.capability", "False"),
    Break("everything-reads", "extras", 'if contract.effect == "reads":', 'if contract.effect != "file":'),
    Break("duplicates-unseen", "extras", "duplicate = mark in seen or", "duplicate = False and"),
    Break("timeouts-pass", "conditions", '"in_time", not scene.timed_out', '"in_time", True'),
    Break(
        "offers-unchecked",
        "conditions",
        "wrong = [call.name for call in scene.calls if not call.offered]",
        "wrong: list[str] = []",
    ),
    Break("schema-unchecked", "conditions", "wrong = sum(not call.valid for call in scene.calls)", "wrong = 0"),
    Break("extras-unchecked", "conditions", "extra.call.name for extra in facts.untolerated", '"" for extra in ()'),
    Break("executed-is-succeeded", "conditions", "not item.call.call.executed", "not item.call.call.succeeded"),
    Break("asking-without-text", "conditions", "and bool(scene.final_text)", ""),
    Break("weights", "partial", "(0.45, 0.35, 0.20)", "(0.35, 0.45, 0.20)"),
    Break("execution-weights", "partial", "0.10, 0.15)", "0.15, 0.10)"),
    Break("free-extras", "partial", "EXTRA_COST * unexpected", "0 * unexpected"),
    Break("cap", "partial", "HIGHEST_FAILING = 0.99", "HIGHEST_FAILING = 1.0"),
    Break(
        "validity-of-the-expected",
        "partial",
        "for call in calls) / len(calls)",
        "for call in calls) / max(len(matched), 1)",
    ),
    Break("broken-syntax-is-false", "dimensions", "conforms = None if broken else", "conforms = False if broken else"),
    Break(
        "extra-keys-break-fidelity",
        "dimensions",
        'difference.kind != "extra" or not isinstance',
        "True or not isinstance",
    ),
    Break("unknown-keys-are-supported", "dimensions", '        "unknown_key",\n', ""),
    Break("recall-without-the-missing", "dimensions", "expected += fields", "expected += fields if item.call else 0"),
    Break("first-branch-meant", "violations", "(sum(map(_is_discriminator, pair[1])), len(pair[1]))", "0"),
    Break("branch-keys-unknown", "violations", "if violation.key in found.other_keys:", "if False:"),
    Break("depth-from-zero", "violations", "depth, here = 0, arguments", "depth, here = -1, arguments"),
    Break("lists-have-depth", "violations", "depth += isinstance(here, dict)", "depth += 1"),
    Break("root-fields-unknown", "violations", "violation.key in contract.properties", "False"),
    Break("recased-is-untranslated", "violations", "and not _is_recased(value, found.words)", ""),
    Break("end-state-unchecked", "facts", "part in reached and json_equal(reached[part], value)", "True"),
    Break("view-always-counts", "facts", 'part in ("view", "session") and part not in effects', "False"),
    Break("recovery-of-anything", "recovery", "rejected.name and call.index > rejected.index", "rejected.name"),
    Break("recovery-by-wrong-values", "recovery", "and not item.differences", ""),
    Break("last-run-kept", "judge", "_rank(verdict) > _rank(best)", "_rank(verdict) >= _rank(best)"),
    Break("whole-attempt-of-single-calls", "judge", "first_reply=case.task.single_call)", "first_reply=False)"),
]


def copy(folder: Path) -> None:
    """The package, its tests and what they read."""
    for name in COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)


OUTCOMES = {0: "survived", 1: "killed"}
"""By exit code of pytest; any other one means that the tests could not run."""


def tested(folder: Path) -> str:
    """What the tests say of the code in the folder."""
    paths = [f"tests/evaluator/{name}" for name in TESTS]
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *paths]
    code = subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode
    return OUTCOMES.get(code, "unusable")


def result_of(place: Break, folder: Path) -> str:
    """`killed`, `survived`, `stale` or `unusable`."""
    path = folder / f"fcbench/evaluator/{place.module}.py"
    whole = path.read_text(encoding="utf-8")
    if whole.count(place.text) != 1:
        return "stale"
    path.write_text(whole.replace(place.text, place.broken), encoding="utf-8")
    try:
        return tested(folder)
    finally:
        path.write_text(whole, encoding="utf-8")


def main(names: list[str]) -> None:
    """Break every place, or the named ones, and print what happened."""
    with tempfile.TemporaryDirectory(prefix="fcbench-mutations-") as name:
        folder = Path(name)
        copy(folder)
        if tested(folder) != "survived":
            raise SystemExit("the tests fail on the unbroken code; mend that first")
        results = {place.name: result_of(place, folder) for place in PLACES if not names or place.name in names}
    for place, result in results.items():
        sys.stdout.write(f"{result:9}{place}\n")
    kinds = ("killed", "survived", "stale", "unusable")
    counts = [f"{list(results.values()).count(kind)} {kind}" for kind in kinds]
    sys.stdout.write(f"{len(results)} places: {', '.join(counts)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])

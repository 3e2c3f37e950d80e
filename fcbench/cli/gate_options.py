"""From the options of `fcbench gate`, and its file, to what is asked."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from fcbench.core.names import Tier
from fcbench.core.records import Record
from fcbench.errors import UsageError
from fcbench.workflows.gate_rules import CONFIG, GateRequest, parse_number, parse_regression, parse_rule, read_gate
from fcbench.workflows.price_files import price_file


class GateOptions(Record, frozen=True, kw_only=True):
    """The options as they were given."""

    config: Path | None
    least: tuple[str, ...]
    most: tuple[str, ...]
    claim: bool
    baseline: Path | None
    margin: str
    no_fall: tuple[str, ...]
    tier: str | None
    prices: Path | None


def gate_request(options: GateOptions) -> GateRequest:
    """What is asked: the file's rules, then those of the options; a baseline, tier or price file given here wins.

    Raises:
        UsageError: an option does not read.
        NotFoundError: the gate file cannot be read.
        BadInputError: it does not hold what it should.
    """
    margin = parse_number(options.margin, "--margin")
    if not 0 <= margin < 1:
        raise UsageError("this is no margin", wanted="a share below 1", found=options.margin[:40], where="--margin")
    rules = (
        *(parse_rule(text, "min", claim=options.claim) for text in options.least),
        *(parse_rule(text, "max") for text in options.most),
    )
    falls = tuple(parse_regression(text, margin) for text in options.no_fall)
    if options.tier is not None and options.tier not in get_args(Tier):
        raise UsageError("there is no such tier", wanted=", ".join(get_args(Tier)), found=options.tier[:60])
    read = _file(options, bool(rules or options.baseline))
    baseline = options.baseline or read.baseline
    if falls and not baseline:
        raise UsageError("a regression needs a baseline", wanted="--baseline PACKAGE", found="none", where="--no-fall")
    if options.claim and not options.least:
        raise UsageError("--claim is about --min", wanted="a share to claim", found="no --min", where="--claim")
    return replace(
        read,
        rules=(*read.rules, *rules),
        baseline=baseline,
        regression=(*read.regression, *falls),
        margin=margin,
        tier=options.tier or read.tier,
        prices=price_file(options.prices or read.prices),
    )


def _file(options: GateOptions, has_rules: bool) -> GateRequest:
    if options.config:
        return read_gate(options.config)
    here = Path(CONFIG)
    return read_gate(here) if here.is_file() and not has_rules else GateRequest()

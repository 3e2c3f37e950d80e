"""The dataset card: `README.md` with the YAML that `datasets` reads, and what a person must know before use.

No text of a model reaches the card; of a package only counts, checked split names, hashes and canaries do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pyarrow as pa

from fcbench.core.boards import BoardKey
from fcbench.core.records import Record
from fcbench.export.features import feature_lines

CARD = "README.md"
ABOUT = {
    "cases": "one row a case as it was run: instruction, labels, expected calls; `record` is the whole case",
    "tools": "one row a tool contract with its JSON Schemas, whole registries; splits are registries",
    "runs": "one row a run: model, parameters and hashes; splits are collections",
    "attempts": "one row an attempt: outcome, timings, tokens, candidates; the evidence",
    "rounds": "one row a round of an attempt: text, calls with raw argument strings, results",
    "messages": "one row an attempt as a conversation: `messages` with tool calls, and `tools`, as chat templates read",
    "verdicts": "one row a verdict of this tier: conditions, dimensions, partial score, faults",
    "leaderboard": "one row a run and board of this tier, with numerators and denominators; splits are collections",
}


class CardFacts(Record, frozen=True, kw_only=True):
    """What a card states of its dataset."""

    name: str
    licence: str
    """Identifier as the Hugging Face hub spells it, such as `apache-2.0`."""
    fcbench_version: str
    counts: dict[str, dict[str, int]]
    """Rows by config and split."""
    runs: int
    boards: tuple[BoardKey, ...]
    languages: tuple[str, ...]
    canaries: tuple[str, ...]
    left_out_held_out: int
    """Held-out cases that are not in the dataset."""
    left_out_manual: int
    partial_registries: tuple[str, ...] = ()
    """Hashes of registries that are not here whole."""


def card(facts: CardFacts, schemas: Mapping[str, pa.Schema]) -> str:
    """The text of `README.md`.

    Args:
        facts: what the card states.
        schemas: the Arrow schema of each config that has rows.
    """
    parts = [
        _front_matter(facts, schemas),
        f"# {plain(facts.name)}\n",
        _INTRODUCTION.format(runs=facts.runs, version=plain(facts.fcbench_version)),
        "## Configs\n",
        _configs(facts.counts),
        _READING,
        "## Boards\n",
        _BOARDS,
        _boards(facts.boards),
        _LEFT_OUT.format(held_out=facts.left_out_held_out, manual=facts.left_out_manual),
        _partial(facts.partial_registries),
        _REPLICATE.format(version=plain(facts.fcbench_version)),
        _USE,
        "## Not for training\n",
        _CANARY,
        _canaries(facts.canaries),
        "## Licence\n",
        _LICENCE.format(licence=plain(facts.licence)),
        "## Fields\n",
        _FIELDS,
        *(_fields(config, schema) for config, schema in sorted(schemas.items())),
    ]
    return "\n".join(part for part in parts if part)


def _front_matter(facts: CardFacts, schemas: Mapping[str, pa.Schema]) -> str:
    lines = ["---", f"license: {_quoted(facts.licence)}", f"pretty_name: {_quoted(facts.name)}"]
    if facts.languages:
        lines += ["language:", *(f"- {_quoted(one)}" for one in facts.languages)]
    lines += ["tags:", "- function-calling", "- tool-use", "- benchmark", "- evaluation", "configs:"]
    for config, splits in sorted(facts.counts.items()):
        lines += [f"- config_name: {config}", "  data_files:"]
        for split in sorted(splits):
            lines += [f"  - split: {split}", f"    path: data/{config}/{split}-*.parquet"]
    lines.append("dataset_info:")
    for config in sorted(facts.counts):
        lines += [f"- config_name: {config}", "  features:"]
        lines += [f"  {line}" for line in feature_lines(schemas[config])]
    return "\n".join([*lines, "---", ""])


def _configs(counts: Mapping[str, Mapping[str, int]]) -> str:
    lines = ["| config | rows | splits | what a row is |", "|---|---:|---|---|"]
    for config, splits in sorted(counts.items()):
        shown = ", ".join(f"`{split}` {rows}" for split, rows in sorted(splits.items()))
        about = ABOUT[config.split("_", 1)[0]]
        lines.append(f"| `{config}` | {sum(splits.values())} | {shown} | {about} |")
    return "\n".join([*lines, ""])


def _boards(boards: Sequence[BoardKey]) -> str:
    lines = ["| board | tier | harness, mode | evaluator | task hash | oracle hash | registry hash |"]
    lines.append("|---|---|---|---:|---|---|---|")
    for board in boards:
        run = board.run
        hashes = " | ".join(f"`{_word(one[:12])}`" for one in (run.task_hash, board.oracle_hash, run.registry_hash))
        lines.append(
            f"| `{_word(board.slug)}` | {board.tier} | {run.harness}, {run.harness_mode} | {board.evaluator_version} "
            f"| {hashes} |"
        )
    return "\n".join([*lines, ""])


def _partial(registries: Sequence[str]) -> str:
    if not registries:
        return ""
    named = ", ".join(f"`{_word(one[:12])}`" for one in registries)
    return f"Of these registries only the contracts that a run offered or expected are here: {named}.\n"


def _fields(config: str, schema: pa.Schema) -> str:
    named = ", ".join(f"`{field.name}` ({_kind(field.type)})" for field in schema)
    return f"**{config}**: {named}.\n"


def _kind(kind: pa.DataType) -> str:
    if isinstance(kind, pa.ListType):
        return "list of messages" if isinstance(kind.value_type, pa.StructType) else f"list of {kind.value_type}"
    return str(kind)


def _canaries(canaries: Sequence[str]) -> str:
    lines = [f"    {plain(text)}" for text in canaries] or ["    (the cases of this export carry none)"]
    return "\n".join([*lines, ""])


def _quoted(text: str) -> str:
    """A YAML double-quoted scalar: JSON's form is one."""
    return json.dumps(plain(text))


def plain(text: str) -> str:
    """One line of printable letters, no markup: it comes from options and packages."""
    kept = "".join(letter if letter.isprintable() and letter not in "<>`|[]" else " " for letter in text)
    return " ".join(kept.split())[:300]


def _word(text: str) -> str:
    return "".join(letter for letter in text if letter.isascii() and (letter.isalnum() or letter in "-_./"))


_INTRODUCTION = """\
How language models called functions, round by round. Runs: {runs}; written by fcbench {version}. Every verdict can be
recomputed from the evidence in this dataset.
"""
_READING = """\
`datasets.load_dataset(PATH, CONFIG)` opens one config; its splits are the suites (hyphens become underscores). Columns
that hold free JSON (`expected_calls`, `calls`, `candidates`, `faults`, ...) are strings with one JSON text each, keys
sorted. Rows of `attempts`, `rounds`, `messages` and `verdicts_*` join on (`run_id`, `task_id`, `repeat`); rows of cases
join on `case_sha256`. Null means unknown or not applicable, never nought.
"""
_BOARDS = """\
A board is what may be compared: equal tasks, oracles, tools, fixtures, prompt, harness and mode, retrieval, decoding,
tier and evaluator version. Each of these is a column. **Never average or rank over rows of different boards.** Call
cases and restraint cases (where the right answer is not to call) are two measures, never one percentage.
"""
_LEFT_OUT = """\
## What is not here

Cases left out, with their attempts and verdicts: {held_out} held-out, {manual} of manual suites. The leaderboards still
count held-out cases, as their boards do. Attempts that ended in an error of a provider or the
harness are here, without a verdict: they are not scored as wrong. Of an attempt that was tried again, only the last try
is here.
"""
_REPLICATE = """\
## How to replicate

```
pip install fcbench=={version}
fcbench dataset replicate PATH_OR_REPO
fcbench dataset replicate PATH_OR_REPO --project own && fcbench run COLLECTION --model PROVIDER:MODEL --project own
```

The first command needs this dataset and nothing else. It rebuilds the registries, compares every hash, answers every
call on the contract harness again, recomputes every verdict and every number of the leaderboards, and names what
differs (expected: nothing). The second writes the cases and tools as a project, so that a model of your own is asked
the same: equal hashes, equal board.
"""
_USE = """\
## Intended use and limits

For measuring and studying function calling: failure analysis, evaluators, replication. Numbers hold for one board, one
set of parameters and one build of an engine; a model behind an address may change without notice. On the contract
harness the results of tools are synthetic and say nothing about biology or finance. Texts and arguments of models are
unedited and may be wrong; treat them as untrusted input when you show them.
"""
_CANARY = """\
Cases and answers in a training set make this benchmark worthless for the models trained on it. Please leave the dataset
out of training data. These canary strings stand in the cases, so that a training set that holds them can be found:
"""
_FIELDS = """\
What each column means stands in the documentation of fcbench: `docs/reference/dataset.md`, and for the numbers of a
leaderboard `docs/reference/tables.md`.
"""
_LICENCE = """\
Cases, contracts and verdicts: `{licence}`. Outputs of models are subject to the terms of their providers as well.
"""

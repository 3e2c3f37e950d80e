"""The version of the ranking says what is offered: these digests stay as long as `VERSION` does.

Whoever changes one of them has changed what tasks are offered, and raises the version.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fcbench.core.canonical import digest
from fcbench.retrieval.spec import VERSION

ROOT = Path(__file__).parents[2]
ASKED = {
    "one wish": ("Blunt cutters with an eight-letter site, which ones are sold?", ""),
    "a goal": ("I'd sleep better if someone checked that both of my oligos sit in one place only.", ""),
    "steps": ("Read in calls.vcf, drop everything below quality 30, and tell me what the change at 4,410 does.", ""),
    "words of no list": ("Jot down somewhere that Ilse will pour the gel on Friday.", ""),
    "a screen": ("Make that one red.", "Lane settings: reads, 120 px, grey; gc, 40 px, green. Clicked: gc."),
    "nothing": ("", ""),
}
DIGESTS = {
    5: {
        "one wish": "3fcae352be0ded493181da21930585672fad9bdb969ace4057ebb12f27e2eafe",
        "a goal": "9b9ff5067a3eae3ac81b6ac8f4a5f9f6ee5385d67fb3796e3561962daa07291a",
        "steps": "2c8e14141bec997b1017193bee195233f74a97314729b04552085a652ae7fbd6",
        "words of no list": "c3c69d4fa768c36ac405e21f8707505a425367ed83bcbbcf0bf03705d7c7a9d9",
        "a screen": "82e805b2b813519500d6bd874cf0380edf30570d98d9de0e726a54e157546f57",
        "nothing": "83d96108110ded24d1aaa738d4f87fc73bfebc8e767d51817fc77c95e98fc98f",
    }
}
_RANK = """
import json, sys
from pathlib import Path
from fcbench.registry.load import load_registries
from fcbench.retrieval.lexical import rank
asked = json.load(sys.stdin)
contracts = tuple(load_registries(Path(sys.argv[1]))["genomics"].contracts.values())
def offered(text, seen):
    return [[one.name, one.score] for one in rank(text, contracts, context=seen)]
print(json.dumps({name: offered(text, seen) for name, (text, seen) in asked.items()}))
"""


def ranked(hash_seed: str) -> dict[str, str]:
    found = subprocess.run(
        [sys.executable, "-c", _RANK, str(ROOT / "tools_registry")],
        input=json.dumps(ASKED),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    return {name: str(digest(offered)) for name, offered in json.loads(found.stdout).items()}


@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_a_version_of_the_ranking_offers_the_same_tools_in_every_process(hash_seed: str) -> None:
    assert ranked(hash_seed) == DIGESTS[VERSION]

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
    4: {
        "one wish": "b1eb2710428ae9bfada9d49ec78608c7e17f527afe78b3945c2c0cf281eef426",
        "a goal": "224ed18c7ad427d56bb5f852ac262628d56b4cb6c99e3c39d4b7b1b5f15d3202",
        "steps": "5bba8a7ea52af1a576c255c67366f79eb1043a003fafd3f18c04fe48ef05fd12",
        "words of no list": "3b05b4eaa3c56f1d6b337caca53486bc2a4791c721dac2c645ea9cd32b67e2b7",
        "a screen": "ab5b28d778fe529175a048b7680be09a24c140d00e6f4c195754529481407ec8",
        "nothing": "2f0a7070f55fc9349adfe1b13f966c8e6e82b15a88ed831231f8c8703c9600f0",
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

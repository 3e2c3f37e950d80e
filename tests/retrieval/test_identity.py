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
    3: {
        "one wish": "fa4ae7ea9b81ee536ce3ff20397c8b155849843e7c8609a5cf3bde4f3e6c73dd",
        "a goal": "046cf8e06dca37f01b4f03a9c4f65b573fa3be8334088e40e74e17e3c030b88e",
        "steps": "8d30be9e0634f3b31ca2de415b137f4000ac460cfdb37aeaf17ce18e1add6e6f",
        "words of no list": "3304361d1b68213316a5e2e6ad29b13af432a5c1fa0c46fcfe26a0748f0712b8",
        "a screen": "0f6d2c5789e60bedfa38a7d2967c6fa6bb8c2367fe7978b2965ec9aa49edebbd",
        "nothing": "a3d5b0e22f713420c8adadeffb043bc218b6f72cd589893905c996f16b1bbaaf",
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

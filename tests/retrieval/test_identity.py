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
        "one wish": "817bc678359fdd36c7303180741bc58fc938904e4eb134156374f0fc738eb96c",
        "a goal": "8f10321c9eb0138556b67bddc6433793ef792c07e685168fb17bdde1272b5099",
        "steps": "3194b7e386920cba5ac5040430d20406e4f5615ac9014f277e49a03afed936c0",
        "words of no list": "5e8aa95cebfe7dc1f9f87f2d4670f59e30b53e49eec53e569220b46039824ecb",
        "a screen": "feee095f5517e2a404f568e547ac35fc2a65402f0e57efab58dc846397a04b8a",
        "nothing": "7ac9b812f428d9cb74f61b2b8073db9bf833f3c7d5378600ee81077ecf3c707a",
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

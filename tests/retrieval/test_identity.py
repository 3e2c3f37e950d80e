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
    6: {
        "one wish": "d06037d3e5478151fffcbe64e82dc43e9d6a1278549081c32d3cbb2568c25952",
        "a goal": "c7bb7c3c9437238fcd6fc43f0a48de2aec0ff7f5fd43ebc605bb30e3aadaf056",
        "steps": "38dc9de6248f8e7ed17d78b75c25c930c2d9200e1b8bd93322384687a90e6456",
        "words of no list": "c44c8905b0cd2abda5cca8020dabc7a23dcb66b7cf787ea70d109f7f7aba9f5e",
        "a screen": "cd05a6da35d86f98443dca38c66c673fdcfcc0b61e375cafba81a449906cd7b0",
        "nothing": "439511b5cfde39a1b8dc5c54baf4241a131bfed1d54bd15204ec20f04fe0f68f",
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

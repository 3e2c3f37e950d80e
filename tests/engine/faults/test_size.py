"""Memory stays bounded whatever a server sends, and what was read can be sealed and read back."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from fcbench.core.canonical import MAX_BYTES
from fcbench.packages.store import open_package
from fcbench.providers.catalog import ProviderOptions
from fcbench.workflows.project import Material
from fcbench.workflows.run import RunRequest, run
from fcbench.workflows.score import score
from fcbench.workflows.verify import verify
from tests.engine.faults.replies import chunked, says
from tests.engine.faults.rows_wire import BOMB
from tests.engine.faults.server import CHUNK, Answer, head, http, serve
from tests.engine.faults.world import make


def peak_of(work: Callable[[], object]) -> int:
    """Most bytes that Python held beyond what it held before."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def ask(answer: Answer) -> Callable[[], object]:
    def once() -> None:
        with serve(lambda asked: answer, keep=False) as server:
            make(server.url)

    return once


ENDLESS = Answer(parts=(head(200, {}), CHUNK), end="repeat")
PACKED = {"Content-Encoding": "gzip"}
LIE = http(b"x" * 100, headers={"Content-Length": "99999999999"}, end="close")


@pytest.mark.parametrize(
    ("answer", "caps"),
    [
        pytest.param(ENDLESS, 4, id="a body without end"),
        pytest.param(chunked(CHUNK, ended=False), 4, id="chunks without end"),
        pytest.param(http(BOMB, headers=PACKED), 4, id="a gzip bomb"),
        pytest.param(LIE, 1, id="a length that is a lie"),
        pytest.param(says("x" * 10_000_000), 6, id="a reply of 10 MB"),
        pytest.param(http(b"[" * 1_000_000), 1, id="a million brackets"),
    ],
)
def test_memory_stays_below_a_multiple_of_the_cap(answer: Answer, caps: int) -> None:
    assert peak_of(ask(answer)) < caps * MAX_BYTES


@pytest.mark.parametrize(
    "letter", ["\x00", *(pytest.param(one, marks=pytest.mark.slow) for one in ("x", "\ud800", "é", "<"))]
)
def test_a_package_with_a_text_of_10_mb_is_sealed_and_read_back(
    material: Material, tmp_path: Path, letter: str
) -> None:
    # In JSON a letter may take six, as NUL does.
    text = letter * (10_000_000 // len(json.dumps(letter)[1:-1]))
    with serve(lambda asked: says(text), keep=False) as server:
        request = RunRequest(
            target="complex-schema-nl/quick",
            model="openai_chat:talker",
            options=ProviderOptions(base_url=server.url),
            repeats=1,
            only=("cs-nl-001",),
        )
        package = run(material, request, tmp_path)
    score(package)
    (attempt,) = open_package(package.folder).attempts()
    assert (attempt.outcome, attempt.final_text) == ("completed", text.replace("\ud800", "\ufffd"))
    assert verify(package.folder).problems == ()

"""The control `random`: an offered tool with random arguments that its schema allows."""

from __future__ import annotations

import hashlib
import json
import random

from fcbench.core.samples import sample
from fcbench.errors import BadInputError
from fcbench.providers.base import ReplyCall, Request
from fcbench.providers.scripted import Turn

MOST_ROUNDS = 3


class RandomScript:
    """Calls at random for one to three rounds, then answers. The same seed gives the same run on every machine."""

    def __init__(self, seed: int) -> None:
        """Take the seed of the whole run."""
        self._seed = seed

    def turn(self, request: Request) -> Turn:
        """One call in each of the drawn rounds, then a text."""
        rounds = 1 + int(self._draw(request, 0).random() * MOST_ROUNDS)
        if request.round > rounds or not request.tools:
            return Turn(text="That is all I did.")
        rng = self._draw(request, request.round)
        tool = request.tools[int(rng.random() * len(request.tools))]
        try:
            arguments = sample(tool.parameters, rng)
        except BadInputError:
            arguments = {}  # a schema that no random value was found for; the call is then invalid, and judged so
        text = json.dumps(arguments, ensure_ascii=False, sort_keys=True)
        return Turn(calls=(ReplyCall(id=f"random-{request.round}", name=tool.name, raw_arguments=text),))

    def _draw(self, request: Request, number: int) -> random.Random:
        key = f"{self._seed}|{request.task_id}|{request.repeat}|{number}".encode("utf-8", "replace")
        return random.Random(int.from_bytes(hashlib.sha256(key).digest()[:8], "big"))

"""The control `lexical`: one call by rule, then a text. What can be had without a language model."""

from __future__ import annotations

import json

from fcbench.providers.base import Message, ReplyCall, Request
from fcbench.providers.mentions import read
from fcbench.providers.scripted import Turn
from fcbench.providers.slots import fill
from fcbench.retrieval.index import LexicalIndex, document_of


class LexicalScript:
    """Calls the tool that ranks first for the instruction, its arguments filled from the instruction's own values."""

    def turn(self, request: Request) -> Turn:
        """One call in the first round, a text afterwards."""
        instruction = _instruction(request.messages)
        has_called = any(message.calls for message in request.messages)
        if has_called or not instruction:
            return Turn(text="That is the result of the one call that I can make.")
        documents = [document_of(tool.name, tool.description, tool.parameters) for tool in request.tools]
        index = LexicalIndex(documents)
        if not index.scores(instruction):
            return Turn(text="None of the functions shares a word with this request.")
        best, _ = index.rank(instruction, limit=1)[0]
        tool = next(tool for tool in request.tools if tool.name == best)
        arguments = fill(tool.parameters, read(instruction))
        text = json.dumps(arguments, ensure_ascii=False)
        return Turn(calls=(ReplyCall(id="lexical-1", name=tool.name, raw_arguments=text),))


def _instruction(messages: tuple[Message, ...]) -> str:
    return next((message.content for message in messages if message.role == "user"), "")

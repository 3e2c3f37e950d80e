"""The conversation so far, in the wire format and in a form that strict servers take back.

A model may have called a tool that has no name, given two calls one id, or written arguments that are no JSON. Some
servers refuse a whole request for that, which would turn the model's fault into the provider's. The evidence keeps the
originals; only what goes out is made acceptable.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Sequence

from fcbench.core.canonical import clean_text, parse_json
from fcbench.core.names import JsonObject, JsonValue
from fcbench.errors import JsonError
from fcbench.providers.base import Message, ReplyCall
from fcbench.providers.wire_names import legal_name

_NO_TEXT = " "


def sent_messages(messages: Sequence[Message]) -> list[JsonValue]:
    """Messages in the wire format, with unique call ids, by which the results refer to their calls."""
    ids = CallIds()
    return [_sent(message, messages[at + 1 :], ids) for at, message in enumerate(messages)]


def _sent(message: Message, later: Sequence[Message], ids: CallIds) -> JsonObject:
    content = clean_text(message.content)
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": ids.answered(message.call_id or ""), "content": content}
    if message.role != "assistant":
        return {"role": message.role, "content": content}
    of_message, of_calls = _carried(message)
    if not message.calls:
        return {"role": "assistant", "content": content or _NO_TEXT, **of_message}
    given = ids.give(message.calls, answered_ids(later))
    calls: list[JsonValue] = [
        {**_sent_call(call, call_id), **of_calls.get(at, {})}
        for at, (call, call_id) in enumerate(zip(message.calls, given, strict=True))
    ]
    # An empty text is left out: next to calls it may be absent, but some servers take neither \"\" nor null.
    return {"role": "assistant", **({"content": content} if content else {}), "tool_calls": calls, **of_message}


def _carried(message: Message) -> tuple[JsonObject, dict[int, JsonObject]]:
    """Fields that come back beside the message, and beside its calls by their place."""
    first = message.carried[0] if message.carried else {}
    of_message, of_calls = first.get("message"), first.get("calls")
    return (
        of_message if isinstance(of_message, dict) else {},
        {at: one for at, one in enumerate(of_calls) if isinstance(one, dict)} if isinstance(of_calls, list) else {},
    )


class CallIds:
    """Gives every call of one request an id of its own, and knows by which id its result must answer."""

    def __init__(self, legal: Callable[[str], str] = str) -> None:
        """Begin a request.

        Args:
            legal: makes an id fit the format; as it is without.
        """
        self._legal = legal
        self._used: set[str] = set()
        self._open: defaultdict[str, deque[str]] = defaultdict(deque)

    def give(self, calls: Sequence[ReplyCall], answered: Sequence[str]) -> list[str]:
        """Ids of one message's calls. One that came without gets the id by which the harness answers it."""
        self._open.clear()
        return [
            self._give(call.id or (answered[at] if at < len(answered) else f"call-{at}"))
            for at, call in enumerate(calls)
        ]

    def _give(self, wanted: str) -> str:
        clean = self._legal(clean_text(wanted)) or "call"
        given, number = clean, 1
        while given in self._used:
            number += 1
            given = f"{clean}-{number}"
        self._used.add(given)
        self._open[wanted].append(given)
        return given

    def answered(self, call_id: str) -> str:
        """The id on the wire of the first call with this id that has no result yet."""
        waiting = self._open.get(call_id)
        return waiting.popleft() if waiting else self._legal(clean_text(call_id))


def answered_ids(later: Sequence[Message]) -> list[str]:
    """Ids by which the messages right after a call answer it, in order."""
    ids = []
    for message in later:
        if message.role != "tool":
            break
        ids.append(message.call_id or "")
    return ids


def _sent_call(call: ReplyCall, call_id: str) -> JsonObject:
    about: JsonObject = {"name": legal_name(call.name), "arguments": sent_arguments(call)}
    return {"id": call_id, "type": "function", "function": about}


def sent_arguments(call: ReplyCall) -> str:
    """The arguments as valid JSON: as the model wrote them, or that text as a JSON string.

    llama.cpp, for one, answers HTTP 500 to a call whose arguments are no JSON, such as one that the token limit cut;
    its templates write a JSON string as the model wrote it. No arguments at all go out as an empty object.
    """
    text = clean_text(call.raw_arguments)
    if not text.strip():
        return "{}"
    try:
        if isinstance(parse_json(text), dict | str):
            return text
    except JsonError:
        pass
    return json.dumps(text, ensure_ascii=False)

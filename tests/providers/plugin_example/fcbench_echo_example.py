"""A provider of another package: it calls the first tool once, without arguments, and then repeats the result.

An installed package needs this module and, in its pyproject.toml:

    [project.entry-points."fcbench.providers"]
    echo = "fcbench_echo_example:open_echo"
"""

from __future__ import annotations

from fcbench.core.canonical import digest_text
from fcbench.providers.base import Provider, ProviderInfo, Reply, ReplyCall, Request
from fcbench.providers.catalog import Opening


class Echo:
    """Takes requests and gives replies; everything that it needs is in `fcbench.providers.base`."""

    def __init__(self, model: str) -> None:
        self.info = ProviderInfo(provider="echo", model=model, endpoint="none", attributes={"voice": "an echo"})

    async def complete(self, request: Request) -> Reply:
        """Answer one request; raise `ProviderFailure` where the world fails, never for what a model wrote."""
        said = [message.content for message in request.messages]
        has_result = request.messages[-1].role == "tool"
        call = ReplyCall(id="echo-1", name=request.tools[0].name, raw_arguments="{}") if request.tools else None
        return Reply(
            text=said[-1] if has_result or call is None else "",
            calls=() if has_result or call is None else (call,),
            finish_reason="stop",
            request_sha256=digest_text("\n".join(said)),
            reply_sha256=digest_text(said[-1]),
        )

    async def aclose(self) -> None:
        """Nothing is open."""


def open_echo(opening: Opening) -> Provider:
    """What the entry point names: `--model echo:NAME` opens it."""
    return Echo(opening.model)

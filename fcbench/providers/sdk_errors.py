"""What the errors of both official SDKs have in common: they come of one generator, and differ in names only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import httpx2

from fcbench.core.canonical import clean_text
from fcbench.providers.base import FailureKind, ProviderFailure
from fcbench.providers.refusals import MAX_MESSAGE, certificate_trouble


@dataclass(frozen=True, kw_only=True)
class SdkErrors:
    """The error classes of one SDK.

    Attributes:
        timed_out: no answer in time.
        connection: the connection failed.
        validation: the reply is not what the SDK expects.
        api: every other trouble with an answer.
        base: every error of the SDK.
    """

    timed_out: type[Exception]
    connection: type[Exception]
    validation: type[Exception]
    api: type[Exception]
    base: type[Exception]

    def translate(self, error: Exception, hide: Callable[[str], str]) -> ProviderFailure:
        """What an error of the SDK without an HTTP status, or of the HTTP client below it, means to a run.

        Args:
            error: the caught error.
            hide: takes the key out of a text.
        """
        for one in (error, error.__cause__):
            if isinstance(one, ProviderFailure):
                return one  # of our own HTTP client; an SDK may wrap it
        if isinstance(error, self.timed_out) and isinstance(error.__cause__, httpx2.ConnectTimeout):
            return ProviderFailure("the connection was not made in time", kind="connection")
        if isinstance(error, self.timed_out | TimeoutError):
            return ProviderFailure("the provider did not answer in time", kind="timed_out")
        untrusted = certificate_trouble(error)
        if untrusted is not None:
            # No waiting mends it, and nothing was sent: the server did not prove who it is.
            words = f"the server's certificate is not trusted: {untrusted}"
            return ProviderFailure(hide(clean_text(words))[:MAX_MESSAGE], kind="authentication")
        message, kind = self._start_and_kind(error)
        cause = error.__cause__ or error.__context__ if isinstance(error, self.connection) else None
        said = cause or error
        return ProviderFailure(hide(clean_text(f"{message}: {type(said).__name__}: {said}"))[:MAX_MESSAGE], kind=kind)

    def _start_and_kind(self, error: Exception) -> tuple[str, FailureKind]:
        if isinstance(error, self.connection):
            return "the connection failed", "connection"
        if isinstance(error, self.validation):
            return "the reply could not be read", "bad_reply"
        if isinstance(error, self.api):
            return "the SDK could not use the answer", "bad_reply"
        if isinstance(error, self.base):
            # What is left concerns credentials, or helpers of the SDK that we do not call: trying again mends neither.
            return "the SDK refused", "refused"
        return "the HTTP client failed", "connection"

"""The whole error tree, with the exit code that each branch gives a command.

    FcbenchError                    70  a fault of ours: please report it
    ├── UsageError                  64  a wrong option, argument or configuration
    ├── BadInputError               65  a file that we were given does not read as it should
    │   ├── JsonError                   a text is not one strict JSON value
    │   ├── SuiteError                  a case, suite, collection or subset file
    │   ├── RegistryError               a tool contract or a registry
    │   └── PackageError                an execution package: torn, altered or too new
    ├── NotFoundError               66  a named file, model, case or registry does not exist
    ├── UnavailableError            69  a missing extra, engine, server or port
    ├── WriteError                  73  an output cannot be created (permission, disk full, exists already)
    ├── ProviderError               75  a provider did not answer; trying again may help
    ├── StoppedError                75  a run ended before its plan was done: a ceiling, or a provider that is down
    │   └── InterruptedRunError    130  ... by Ctrl-C or SIGTERM
    ├── MixedBoardsError            78  rows of different boards were asked to be pooled
    └── TierNotApplicableError      78  a tier that the evidence cannot support

Codes 0, 1 and 2 are results, never errors: 0 pass, 1 fail (a verification or a gate), 2 cannot tell.
The numbers follow BSD's sysexits(3), so that a typo never reads as a verdict.

Messages carry no markup: the command line decides how they look.
"""

from __future__ import annotations

from typing import ClassVar


class FcbenchError(Exception):
    """An error that a user can read.

    Attributes:
        wanted: what the program expected.
        found: what it met instead.
        where: file, line, field, address or option.
        next_step: what the user can do about it.
    """

    exit_code: ClassVar[int] = 70

    def __init__(
        self,
        message: str,
        *,
        wanted: str | None = None,
        found: str | None = None,
        where: str | None = None,
        next_step: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.wanted = wanted
        self.found = found
        self.where = where
        self.next_step = next_step

    def __str__(self) -> str:
        """The message, then one line for each part that is known."""
        parts = (("wanted", self.wanted), ("found", self.found), ("where", self.where), ("next", self.next_step))
        return "\n".join([self.message, *(f"  {name}: {text}" for name, text in parts if text)])


class UsageError(FcbenchError):
    """An option, an argument or a configuration value is wrong."""

    exit_code = 64


class BadInputError(FcbenchError):
    """A file that was read does not hold what it should."""

    exit_code = 65


class JsonError(BadInputError):
    """A text is not one strict JSON value (see `fcbench.core.canonical.parse_json`)."""


class SuiteError(BadInputError):
    """A suite, case, collection or subset file is wrong."""


class RegistryError(BadInputError):
    """A tool contract or a registry is wrong."""


class PackageError(BadInputError):
    """An execution package is torn, altered, incomplete or from a newer format."""


class NotFoundError(FcbenchError):
    """Something that was named does not exist."""

    exit_code = 66


class UnavailableError(FcbenchError):
    """An extra, an engine, a server or a port is not available here."""

    exit_code = 69


class WriteError(FcbenchError):
    """An output could not be written."""

    exit_code = 73


class ProviderError(FcbenchError):
    """A provider failed in a way that is not the model's fault."""

    exit_code = 75


class StoppedError(FcbenchError):
    """A run ended before its plan was done; the same command goes on with it."""

    exit_code = 75


class InterruptedRunError(StoppedError):
    """A run was ended by a signal; the same command goes on with it."""

    exit_code = 130


class MixedBoardsError(FcbenchError):
    """Numbers of different boards were to be pooled (PROTOCOL 1)."""

    exit_code = 78


class TierNotApplicableError(FcbenchError):
    """The evidence cannot support the tier that was asked for (PROTOCOL 3)."""

    exit_code = 78

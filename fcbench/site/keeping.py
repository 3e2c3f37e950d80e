"""Parts of a site that are dear to make, kept between builds: rows of runs, charts, compiled templates.

A part lies under the digest of everything that it is made from; a compiled template, which Jinja compares with its
source, under its name and the digest of what compiles it. Like the page cache, the folder may always be empty; where
no build set one, nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, Token
from pathlib import Path

from jinja2.bccache import Bucket, BytecodeCache

from fcbench.core.canonical import digest_bytes
from fcbench.core.names import Digest
from fcbench.packages.files import write_error

_DIGITS = 64
"""Of the digest before each part."""


class Keep:
    """A folder of parts, and which of them this build used.

    Raises:
        WriteError: the folder cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._used: set[str] = set()
        self._spared: set[str] = set()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(folder, error) from error

    def part(self, kind: str, key: Digest, make: Callable[[], bytes]) -> bytes:
        """A part from an earlier build, or made and kept now.

        Args:
            kind: what it is; stands in the file's name.
            key: digest of all that it is made from, the code among it.
            make: makes it.

        Raises:
            WriteError: the folder cannot be written.
        """
        name = f"{key}.{kind}"
        self._used.add(name)
        known = self.found(name)
        return self.put(name, make()) if known is None else known

    def put(self, name: str, content: bytes) -> bytes:
        """Keep a part under a name, and give it back.

        Raises:
            WriteError: the folder cannot be written.
        """
        scratch = self.folder / f"{name}.tmp"
        try:
            # Replaced and not written into, so that a kill leaves no torn part under a name that counts.
            scratch.write_bytes(digest_bytes(content).encode() + content)
            scratch.replace(self.folder / name)
        except OSError as error:
            raise write_error(self.folder / name, error) from error
        return content

    def found(self, name: str) -> bytes | None:
        """A part whose bytes are those that were written; a power cut may have torn it all the same."""
        try:
            written = (self.folder / name).read_bytes()
        except OSError:
            return None
        digest, content = written[:_DIGITS], written[_DIGITS:]
        return content if digest_bytes(content).encode() == digest else None

    def spare(self, prefix: str) -> None:
        """Leave the parts whose names begin so for the next build, used or not."""
        self._spared.add(prefix)

    def finish(self) -> int:
        """Delete what this build neither used nor spared; how many files went."""
        spared = tuple(self._spared)
        unused = [file for file in self.folder.iterdir() if file.name not in self._used]
        gone = [file for file in unused if not file.name.startswith(spared)]
        for file in gone:
            file.unlink(missing_ok=True)
        return len(gone)


_CURRENT: ContextVar[Keep | None] = ContextVar("fcbench-keep", default=None)


def begin(keep: Keep) -> Token[Keep | None]:
    """Keep parts there from now on, until `end`."""
    return _CURRENT.set(keep)


def end(token: Token[Keep | None]) -> None:
    """Keep no longer what `begin` began."""
    _CURRENT.reset(token)


def kept(kind: str, key: Digest, make: Callable[[], bytes]) -> bytes:
    """A part of the build under way; made anew where none is.

    Raises:
        WriteError: the folder cannot be written.
    """
    keep = _CURRENT.get()
    return make() if keep is None else keep.part(kind, key, make)


class KeptTemplates(BytecodeCache):
    """Compiled templates of the build under way: compiling all of them takes half a second.

    What lies there is run, as Python runs `__pycache__`: the folder is the user's own, and nothing of a package is
    written there. The digest before each part keeps a torn one from being read.
    """

    def __init__(self, compiler: Digest) -> None:
        """Tell apart what other code compiled.

        Args:
            compiler: digest of all but the sources that decides what they are compiled to: settings and versions.
        """
        self._prefix = f"{compiler[:16]}-"

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take a template from an earlier build; Jinja drops one of another source or Python."""
        keep = _CURRENT.get()
        if keep is None:
            return
        # One that this build does not need may be the next one's.
        keep.spare(self._prefix)
        content = keep.found(self._name(bucket))
        if content is not None:
            bucket.bytecode_from_string(content)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template.

        Raises:
            WriteError: the folder cannot be written.
        """
        keep = _CURRENT.get()
        if keep is not None:
            keep.put(self._name(bucket), bucket.bytecode_to_string())

    def _name(self, bucket: Bucket) -> str:
        return f"{self._prefix}{bucket.key}.template"

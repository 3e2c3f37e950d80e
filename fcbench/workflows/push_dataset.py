"""Push a dataset to the Hugging Face hub: the difference is shown, and sent only where that is asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from fcbench.core.records import Record, to_plain
from fcbench.errors import BadInputError, WriteError
from fcbench.export.card import CARD
from fcbench.export.croissant import CROISSANT
from fcbench.export.hub import Remote, RemoteFile
from fcbench.export.marker import MARKER
from fcbench.export.reading import DatasetFolder
from fcbench.packages.files import digest_file

OWN = (CARD, CROISSANT, MARKER)
_UNTOUCHED = (".gitattributes", ".gitignore")
"""What a hub puts into an empty repository."""


class HubLike(Protocol):
    """What a push needs of a hub (`export.hub.Hub`)."""

    @property
    def endpoint(self) -> str:
        """The address."""
        ...

    def account(self) -> str:
        """Whose token it is."""
        ...

    def remote(self, repo: str, revision: str | None = None) -> Remote:
        """What lies in a repository."""
        ...

    def create(self, repo: str, *, private: bool) -> None:
        """Create an empty repository."""
        ...

    def commit(
        self, repo: str, added: Mapping[str, Path], deleted: list[str], *, message: str, parent: str | None
    ) -> str:
        """Make one commit."""
        ...


class Push(Record, frozen=True, kw_only=True):
    """What a push would change, or has changed."""

    repo: str
    endpoint: str
    exists: bool
    """Whether the repository was there."""
    private: bool
    """Whether a new repository is made private."""
    added: dict[str, int]
    """New files with their bytes."""
    changed: dict[str, int]
    deleted: tuple[str, ...]
    unchanged: int
    kept: tuple[str, ...]
    """Files of the repository that are no part of an export and stay."""
    uploaded: bool
    account: str | None = None
    commit: str | None = None
    """Address of the commit."""

    @property
    def differs(self) -> bool:
        """Whether there is anything to send."""
        return bool(self.added or self.changed or self.deleted)

    def text(self) -> str:
        """For a terminal."""
        done = f"as {self.account}" if self.uploaded else "dry run: nothing is sent"
        lines = [f"push  {self.repo} at {self.endpoint} ({done})"]
        if not self.exists:
            kind = "private" if self.private else "public"
            lines.append(
                f"  the repository {'was' if self.uploaded else 'does not exist and would be'} created, {kind}"
            )
        lines += [f"  + {path}  {size:,} bytes" for path, size in self.added.items()]
        lines += [f"  ~ {path}  {size:,} bytes" for path, size in self.changed.items()]
        lines += [f"  - {path}" for path in self.deleted]
        lines.append(f"  {self.unchanged} files are the same there; {len(self.kept)} others stay as they are")
        if self.commit:
            lines.append(f"  {self.commit}")
        elif not self.differs and self.exists:
            lines.append("  nothing to send")
        else:
            sent = sum(self.added.values()) + sum(self.changed.values())
            lines.append(f"  next: the same with --upload sends {sent:,} bytes in one commit")
        return "\n".join(lines)

    def data(self) -> object:
        """As plain JSON values."""
        return {**to_plain(self), "differs": self.differs}


def push(folder: Path, repo: str, hub: HubLike, *, upload: bool = False, private: bool = False) -> Push:
    """Compare an export with a repository, and send the difference as one commit where `upload` says so.

    Args:
        folder: what `fcbench dataset export` wrote.
        repo: `OWNER/NAME`.
        hub: where to.
        upload: send; without it nothing is changed anywhere.
        private: make a new repository private.

    Raises:
        NotFoundError: the folder holds no export.
        BadInputError: the export was altered since it was written.
        WriteError: the repository holds something that is no export of ours.
        UsageError: there is no token, or the hub refuses.
        ProviderError: the hub does not answer.
    """
    local = _local(folder)
    account = hub.account() if upload else None
    remote = hub.remote(repo)
    _refuse_foreign(repo, remote)
    plan = _plan(repo, hub.endpoint, local, remote, private=private)
    if not upload or not plan.differs:
        return plan
    if not plan.exists:
        hub.create(repo, private=private)
        remote = hub.remote(repo)
    sent = {path: local[path] for path in (*plan.added, *plan.changed)}
    commit = hub.commit(
        repo, sent, list(plan.deleted), message="Dataset written by fcbench dataset export", parent=remote.commit
    )
    plain = {name: getattr(plan, name) for name in plan.__struct_fields__}
    return Push(**{**plain, "uploaded": True, "account": account, "commit": commit})


def _local(folder: Path) -> dict[str, Path]:
    dataset = DatasetFolder(folder)
    problems = [*dataset.file_problems(), *(f"{name}: is missing" for name in OWN if not (folder / name).is_file())]
    if problems:
        raise BadInputError(
            "this export is not as it was written",
            wanted="the files of its marker",
            found="; ".join(problems[:3]),
            where=str(folder),
            next_step="export the packages again",
        )
    names = [*OWN, *dataset.marker.files]
    return {name: folder / name for name in sorted(names)}


def _refuse_foreign(repo: str, remote: Remote) -> None:
    others = [path for path in remote.files if path not in _UNTOUCHED]
    if others and MARKER not in remote.files:
        raise WriteError(
            "this repository holds something that fcbench did not export",
            wanted=f"an empty repository, or one with {MARKER}",
            found=f"{len(others)} files, such as {others[0][:100]}",
            where=repo,
            next_step="name another repository",
        )


def _plan(repo: str, endpoint: str, local: Mapping[str, Path], remote: Remote, *, private: bool) -> Push:
    ours = {path for path in remote.files if path in OWN or (path.startswith("data/") and path.endswith(".parquet"))}
    sizes = {path: file.stat().st_size for path, file in local.items()}
    same = {path for path in ours & local.keys() if _is_same(local[path], sizes[path], remote.files[path])}
    return Push(
        repo=repo,
        endpoint=endpoint,
        exists=remote.commit is not None,
        private=private,
        added={path: sizes[path] for path in local if path not in ours},
        changed={path: sizes[path] for path in local if path in ours and path not in same},
        deleted=tuple(sorted(ours - local.keys())),
        unchanged=len(same),
        kept=tuple(sorted(remote.files.keys() - ours)),
        uploaded=False,
    )


def _is_same(path: Path, size: int, remote: RemoteFile) -> bool:
    if size != remote.size:
        return False
    if remote.sha256 is not None:
        return digest_file(path) == remote.sha256
    # Git's own digest of a file: SHA-1 over a header and the bytes.
    digest = hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as stream:
        while part := stream.read(1 << 20):
            digest.update(part)
    return digest.hexdigest() == remote.blob


__all__ = ["Push", "push"]

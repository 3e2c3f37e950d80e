"""The Hugging Face hub: what lies in a dataset repository, one commit to it, and a download.

The one home of huggingface_hub. Its errors are translated here, and a token never stands in a message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.errors import (
    HfHubHTTPError,
    HFValidationError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.hf_api import RepoFile

from fcbench.core.records import Record
from fcbench.errors import FcbenchError, NotFoundError, ProviderError, UsageError

TOKEN = "HF_TOKEN"  # noqa: S105 - the name of a variable
"""The environment variable that a token is read from, and nowhere else."""
_KIND = "dataset"
_Operation: TypeAlias = CommitOperationAdd | CommitOperationDelete


class RemoteFile(Record, frozen=True, kw_only=True):
    """A file of a repository."""

    size: int
    blob: str
    """Git's SHA-1 of the file, or of the pointer that stands for it."""
    sha256: str | None = None
    """Of the file itself, where it is stored as a large one."""


class Remote(Record, frozen=True, kw_only=True):
    """A dataset repository as it is now."""

    commit: str | None
    """None where there is no repository."""
    files: dict[str, RemoteFile]
    """By path."""


class Hub:
    """One hub, with or without a token."""

    def __init__(self, *, endpoint: str | None, environment: Mapping[str, str]) -> None:
        """Nothing is sent yet.

        Args:
            endpoint: the address; None for huggingface_hub's own (`HF_ENDPOINT`, else the public hub).
            environment: where the token stands.
        """
        self._token = environment.get(TOKEN, "").strip()
        # `False` says: no token, also where one lies in the home folder.
        self._api = HfApi(endpoint=endpoint, token=self._token or False, library_name="fcbench")

    @property
    def endpoint(self) -> str:
        """The hub's address."""
        return str(self._api.endpoint)

    @property
    def has_token(self) -> bool:
        """Whether the environment gave one."""
        return bool(self._token)

    def account(self) -> str:
        """Whose token it is.

        Raises:
            UsageError: there is no token, or the hub refuses it.
            ProviderError: the hub does not answer.
        """
        if not self._token:
            raise UsageError(
                "a push needs a token",
                wanted=f"a token that may write, in the environment variable {TOKEN}",
                found="none",
                next_step=f"make one in the settings of your account, then `export {TOKEN}=...`",
            )
        with self._translated("whoami"):
            return str(self._api.whoami()["name"])

    def remote(self, repo: str, revision: str | None = None) -> Remote:
        """What lies in a repository.

        Raises:
            UsageError: the name cannot be a repository's, or the hub refuses.
            ProviderError: the hub does not answer.
        """
        with self._translated(repo):
            try:
                commit = self._api.repo_info(repo, repo_type=_KIND, revision=revision).sha
            except RepositoryNotFoundError:
                return Remote(commit=None, files={})
            tree = self._api.list_repo_tree(repo, repo_type=_KIND, revision=commit, recursive=True)
            files = {one.path: _remote_file(one) for one in tree if isinstance(one, RepoFile)}
            return Remote(commit=commit, files=files)

    def create(self, repo: str, *, private: bool) -> None:
        """Create an empty dataset repository.

        Raises:
            UsageError: the hub refuses.
            ProviderError: the hub does not answer.
        """
        with self._translated(repo):
            self._api.create_repo(repo, repo_type=_KIND, private=private, exist_ok=True)

    def commit(
        self, repo: str, added: Mapping[str, Path], deleted: Iterable[str], *, message: str, parent: str | None
    ) -> str:
        """Make one commit; the address of it.

        Args:
            repo: `OWNER/NAME`.
            added: new and changed files, by path in the repository.
            deleted: paths.
            message: of the commit.
            parent: the commit that the change was computed against: where the repository has gone on, nothing is done.

        Raises:
            UsageError: the hub refuses.
            ProviderError: the hub does not answer.
        """
        operations: list[_Operation] = [
            CommitOperationAdd(path_in_repo=path, path_or_fileobj=str(file)) for path, file in sorted(added.items())
        ]
        operations += [CommitOperationDelete(path_in_repo=path, is_folder=False) for path in sorted(deleted)]
        with self._translated(repo):
            made = self._api.create_commit(
                repo, operations, commit_message=message, repo_type=_KIND, parent_commit=parent
            )
            return str(made.commit_url)

    def download(self, repo: str, folder: Path, *, patterns: list[str], revision: str | None = None) -> str:
        """Download files of a repository into a folder; the commit that they are of.

        Raises:
            NotFoundError: there is no such repository or revision, or no access to it.
            UsageError: the hub refuses.
            ProviderError: the hub does not answer.
        """
        with self._translated(repo):
            commit = self._api.repo_info(repo, repo_type=_KIND, revision=revision).sha
            self._api.snapshot_download(
                repo, repo_type=_KIND, revision=commit, local_dir=str(folder), allow_patterns=patterns
            )
            return str(commit)

    @contextmanager
    def _translated(self, where: str) -> Iterator[None]:
        try:
            yield
        except FcbenchError:
            raise
        except Exception as error:
            # Whatever the library and the two below it raise; a raw message may quote a header.
            raise self._error(error, where) from None

    def _error(self, error: Exception, where: str) -> FcbenchError:
        found = self._safe(str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__)
        if isinstance(error, RepositoryNotFoundError | RevisionNotFoundError):
            return NotFoundError(
                "the hub has no such dataset, or gives no access to it",
                found=found,
                where=f"{where} at {self.endpoint}",
                next_step=f"look at the name and revision; a private one needs a token in {TOKEN}",
            )
        if isinstance(error, HFValidationError):
            return UsageError("this is no name of a repository", wanted="OWNER/NAME", found=found, where=where[:100])
        status = error.response.status_code if isinstance(error, HfHubHTTPError) and error.response is not None else 0
        if 400 <= status < 500 and status != 429:
            return UsageError(
                "the hub refuses",
                found=found,
                where=f"{where} at {self.endpoint}",
                next_step=f"see whether the token in {TOKEN} may write there; where the repository went on, push again",
            )
        return ProviderError(
            "the hub does not answer as it should",
            found=found,
            where=f"{where} at {self.endpoint}",
            next_step="try again later; nothing was left half-done, a push is one commit",
        )

    def _safe(self, text: str) -> str:
        shown = text.replace(self._token, "***") if self._token else text
        return "".join(letter if letter.isprintable() else " " for letter in shown)[:300]


def _remote_file(file: RepoFile) -> RemoteFile:
    return RemoteFile(size=file.size, blob=file.blob_id, sha256=file.lfs.sha256 if file.lfs else None)

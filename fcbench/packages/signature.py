"""Signatures of packages, made and checked by OpenSSH (`ssh-keygen -Y`).

What is signed is the manifest: it lists the SHA-256 of every sealed file and of every record. A signature says who
vouches for a package, not that it is right. Its format, the namespace and the file of allowed signers are those of
ssh-keygen(1).
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from fcbench.errors import NotFoundError, PackageError, UnavailableError, WriteError
from fcbench.packages.store import MANIFEST, Package

SIGNATURE = f"{MANIFEST}.sig"
"""Beside the manifest. Not sealed: it is about what is."""
NAMESPACE = "fcbench-package"
"""So that a signature of this key for another purpose is none of a package."""
_TIMEOUT_S = 60


def sign(package: Package, key: Path) -> Path:
    """Sign a package; an older signature is replaced.

    Args:
        package: sealed.
        key: a private SSH key, or the public one of a key that the agent holds.

    Returns:
        The signature's file.

    Raises:
        NotFoundError: there is no such key.
        UnavailableError: OpenSSH is not installed.
        WriteError: OpenSSH could not sign: a wrong passphrase, a folder that cannot be written.
    """
    if not key.is_file():
        raise NotFoundError("there is no such key", wanted="a private SSH key", found="no such file", where=str(key))
    path = package.folder / SIGNATURE
    path.unlink(missing_ok=True)
    done = _ssh_keygen(["sign", "-q", "-f", str(key.resolve()), "-n", NAMESPACE, str(package.folder / MANIFEST)])
    if done.returncode != 0 or not path.is_file():
        raise WriteError(
            "the package was not signed",
            wanted="a key that OpenSSH can sign with",
            found=_said(done),
            where=str(key),
            next_step="try `ssh-keygen -Y sign` by hand; an encrypted key asks for its passphrase on the terminal",
        )
    return path


def signer(package: Package, allowed: Path) -> str | None:
    """Who signed a package.

    Args:
        package: sealed.
        allowed: a file of allowed signers, as ssh-keygen(1) describes it.

    Returns:
        The principal of the file whose key signed the manifest; None where the package bears no signature.

    Raises:
        NotFoundError: there is no such file.
        UnavailableError: OpenSSH is not installed.
        PackageError: the signature is by nobody in the file, of something else, or damaged.
    """
    path = package.folder / SIGNATURE
    if not path.is_file():
        return None
    if not allowed.is_file():
        raise NotFoundError("there is no file of allowed signers", found="no such file", where=str(allowed))
    listed = ["-f", str(allowed.resolve()), "-s", str(path)]
    found = _ssh_keygen(["find-principals", *listed])
    principal = next(iter(found.stdout.decode(errors="replace").splitlines()), "")
    if found.returncode != 0 or not principal:
        raise _refused(path, "a key in the file of allowed signers", _said(found))
    checked = _ssh_keygen(
        ["verify", *listed, "-I", principal, "-n", NAMESPACE], (package.folder / MANIFEST).read_bytes()
    )
    if checked.returncode != 0:
        raise _refused(path, "a signature of this manifest, for packages", _said(checked))
    return principal


def _ssh_keygen(arguments: Sequence[str], data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise UnavailableError(
            "OpenSSH is not installed",
            wanted="the program ssh-keygen, version 8.2 or later",
            found="no such program",
            next_step="install OpenSSH's client, or leave signatures out",
        )
    return subprocess.run([program, "-Y", *arguments], input=data, capture_output=True, timeout=_TIMEOUT_S, check=False)


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    told = (done.stderr or done.stdout).decode(errors="replace").strip()
    return told[:300] or f"exit status {done.returncode}"


def _refused(path: Path, wanted: str, found: str) -> PackageError:
    return PackageError(
        "the signature does not hold",
        wanted=wanted,
        found=found,
        where=str(path),
        next_step="ask who handed the package in to sign it again, or remove the signature",
    )

"""Held-out cases in packages: which package holds some in the clear, and when they stopped being secret."""

from __future__ import annotations

from collections.abc import Mapping

from fcbench.core.names import CaseId
from fcbench.errors import PackageError
from fcbench.packages.store import Package
from fcbench.suites.commitments import Commitment, keeps


def secret_cases(package: Package) -> tuple[CaseId, ...]:
    """The held-out cases that a package holds in the clear: it may not be given to others.

    A redacted package holds none, nor does one whose cases were revealed since (`lifted`). The cases are read anew, so
    that they do not stay in memory.
    """
    fresh = Package(package.folder, package.manifest, package.revealed)
    return tuple(case.id for case in fresh.cases.values() if case.is_secret)


def refuse_secret(package: Package, doing: str) -> None:
    """Refuse to give a package to others that holds held-out cases in the clear.

    Args:
        package: sealed.
        doing: what is refused, such as `packed`.

    Raises:
        PackageError: it holds some.
    """
    found = secret_cases(package)
    if found:
        raise PackageError(
            f"this package holds held-out cases in the clear: it is not {doing}",
            wanted="no held-out case, or its redacted form",
            found=f"{len(found)} held-out cases",
            where=str(package.folder),
            next_step="write its redacted form with `fcbench package redact`, or reveal the cases first",
        )


def lifted(package: Package, revealed: Mapping[CaseId, Commitment]) -> Package:
    """The same package, in which revealed cases are held out no more.

    Args:
        package: sealed.
        revealed: published commitments with their salts, as `suites.commitments.revealed_in` reads them.

    Raises:
        PackageError: a case of the package is another one than was committed to under its id.
    """
    found = [case for case in package.cases.values() if case.is_secret and case.id in revealed]
    for case in found:
        if not keeps(case, revealed[case.id], where=f"{package.folder}, case {case.id}"):
            raise PackageError(
                "a held-out case of this package is not the one that was revealed",
                wanted=f"the case of the commitment {revealed[case.id].commitment[:12]}",
                found="another case under its id",
                where=f"{package.folder}, case {case.id}",
                next_step="publish its redacted form, or leave the package out",
            )
    # Nothing lifted: the same object, which has read its cases already.
    return Package(package.folder, package.manifest, frozenset(case.id for case in found)) if found else package


__all__ = ["lifted", "refuse_secret", "secret_cases"]

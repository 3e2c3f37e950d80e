"""Reading collections and subsets."""

from __future__ import annotations

import re
from collections.abc import Collection as Names
from collections.abc import Iterable, Mapping
from pathlib import Path

from fcbench.core.canonical import pointer
from fcbench.core.cases import Case
from fcbench.core.names import TIERS_OF_HARNESS, CaseId, JsonObject, JsonValue
from fcbench.core.yaml12 import Document, load_yaml
from fcbench.errors import SuiteError
from fcbench.suites.commitments import SealedCase
from fcbench.suites.model import Collection, Subset, nearest

RETRIEVAL = re.compile(r"lexical(:[1-9][0-9]{0,3})?|given|all")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_SUBSET_FIELDS = ("subset", "title", "collection", "collections", "seed", "cases", "description")


def read_collections(path: Path, name: str, suites: Names[str]) -> dict[str, Collection]:
    """Read `collections.yaml`; nothing where it does not exist.

    Raises:
        SuiteError: with file, line and field.
    """
    if not path.is_file():
        return {}
    document = load_yaml(path, error=SuiteError, name=name)
    raw = document.value
    listed = raw.get("collections") if isinstance(raw, dict) and set(raw) == {"collections"} else None
    if not isinstance(listed, dict):
        raise document.complain("a file of collections is one mapping", wanted="collections: {name: {...}}")
    found = {}
    for key in sorted(listed):
        place = pointer("collections", key)
        if not isinstance(listed[key], dict):
            raise document.complain("a collection is a mapping", place)
        if not _NAME.fullmatch(key):
            raise document.complain("a collection's name is lower case with hyphens", place, found=key)
        found[key] = _checked(document, place, document.read(Collection, place, {"name": key, **listed[key]}), suites)
    return found


def _checked(document: Document, place: str, collection: Collection, suites: Names[str]) -> Collection:
    for index, suite in enumerate(collection.suites):
        if suite not in suites:
            raise document.complain(
                f"the suite {suite} does not exist",
                f"{place}/suites/{index}",
                wanted=", ".join(sorted(suites)),
                found=suite,
                next_step=nearest(suite, suites),
            )
    if not RETRIEVAL.fullmatch(collection.retrieval):
        raise document.complain(
            "this retrieval does not exist",
            f"{place}/retrieval",
            wanted="lexical, lexical:K, given or all",
            found=collection.retrieval,
        )
    tiers = TIERS_OF_HARNESS[collection.harness]
    if collection.headline_tier not in tiers:
        raise document.complain(
            f"the {collection.harness} harness has no evidence for this tier",
            f"{place}/headline_tier",
            wanted=", ".join(tiers),
            found=collection.headline_tier,
        )
    if collection.repeats < 1:
        raise document.complain("repeats is at least 1", f"{place}/repeats", found=str(collection.repeats))
    return collection


def read_subsets(
    paths: Iterable[tuple[Path, str]], collections: Mapping[str, Collection], cases: Mapping[CaseId, Case | SealedCase]
) -> dict[str, Subset]:
    """Read every subset file, given with the name for messages; sealed cases may be listed like any others.

    Raises:
        SuiteError: with file, line and field.
    """
    found: dict[str, Subset] = {}
    for path, name in paths:
        document = load_yaml(path, error=SuiteError, name=name)
        subset = _SubsetReader(document, collections, cases).read()
        if subset.name != path.stem:
            raise document.complain(
                "a subset's file is called like the subset", "/subset", wanted=path.stem, found=subset.name
            )
        found[subset.name] = subset
    return found


class _SubsetReader:
    def __init__(
        self,
        document: Document,
        collections: Mapping[str, Collection],
        cases: Mapping[CaseId, Case | SealedCase],
    ) -> None:
        self.document = document
        self.collections = collections
        self.cases = cases

    def read(self) -> Subset:
        raw = self.document.value
        if not isinstance(raw, dict):
            raise self.document.complain("a subset is a mapping", wanted="subset, collections or collection with cases")
        for key in raw:
            if key not in _SUBSET_FIELDS:
                raise self.document.complain(
                    f"a subset has no field {key}", f"/{key}", wanted=", ".join(_SUBSET_FIELDS), found=key
                )
        rest: JsonObject = {key: raw[key] for key in ("title", "seed", "description") if key in raw}
        whole = {"name": raw.get("subset"), "cases": self._cases(raw), **rest}
        return self.document.read(Subset, "", whole)

    def _cases(self, raw: JsonObject) -> dict[str, list[CaseId]]:
        listed = raw.get("collections")
        if isinstance(listed, dict):
            return {
                str(name): self._ids(ids, pointer("collections", name), [str(name)])[str(name)]
                for name, ids in sorted(listed.items())
            }
        named = raw.get("collection", listed)
        names = [named] if isinstance(named, str) else named
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise self.document.complain("a subset names its collections", wanted="collections: {name: [case ids]}")
        return self._ids(raw.get("cases"), "/cases", [str(name) for name in names])

    def _ids(self, ids: JsonValue, place: str, names: list[str]) -> dict[str, list[CaseId]]:
        """Case ids by collection; each must belong to one of the collections."""
        for name in names:
            if name not in self.collections:
                raise self.document.complain(
                    f"the collection {name} does not exist",
                    place,
                    wanted=", ".join(self.collections),
                    found=name,
                    next_step=nearest(name, self.collections),
                )
        if not isinstance(ids, list) or not ids:
            raise self.document.complain("a subset lists case ids", place, wanted="a list with at least one id")
        found: dict[str, list[CaseId]] = {name: [] for name in names}
        for index, raw in enumerate(ids):
            where = f"{place}/{index}"
            homes = self._homes(raw, where, names)
            for name in homes:
                if raw in found[name]:
                    raise self.document.complain("a case stands twice in the subset", where, found=str(raw))
                found[name].append(CaseId(str(raw)))
        return {name: sorted(members) for name, members in found.items()}

    def _homes(self, raw: JsonValue, where: str, names: list[str]) -> list[str]:
        case = self.cases.get(CaseId(raw)) if isinstance(raw, str) else None
        if case is None:
            hint = nearest(raw, self.cases) if isinstance(raw, str) else None
            raise self.document.complain("the case does not exist", where, found=str(raw), next_step=hint)
        homes = [name for name in names if case.suite in self.collections[name].suites]
        if not homes:
            raise self.document.complain(
                f"the case {raw} is in none of these collections",
                where,
                wanted=", ".join(names),
                found=f"suite {case.suite}",
            )
        return homes

"""The example cases of a new suite: of all drafts the first that pass every gate, tried as they will be written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from fcbench.core.findings import Finding
from fcbench.core.names import CaseId, Mix
from fcbench.errors import FcbenchError, SuiteError
from fcbench.suites import check
from fcbench.suites.scaffold import Draft, drafts, missable
from fcbench.suites.scaffold_files import Plan, cases_text
from fcbench.workflows.judge_cases import judge_cases
from fcbench.workflows.project import Project, load

NO_REQUIRED = "The schema has no required field that a text could leave out, so nothing can be missing."
NO_VALUE = "No arguments that satisfy the schema were found."
REFUSED = "Every draft was refused by a gate of the check"


@dataclass
class Examples:
    """What was found for each kind of instruction."""

    drafts: list[Draft] = field(default_factory=list)
    left_out: dict[Mix, str] = field(default_factory=dict)

    def text(self) -> str:
        """The file of cases."""
        return cases_text(self.drafts, self.left_out.items())


class Trial:
    """Drafts judged inside a staged project, which holds the contract and `suite.yaml` already."""

    def __init__(self, plan: Plan, root: Path, taken: frozenset[CaseId]) -> None:
        self.plan = plan
        self.project = Project(root=root, embedded=False)
        self.path = self.project.suites / plan.suite / "cases.yaml"
        self.taken = taken

    def examples(self) -> Examples:
        """One draft for each kind, where one passes; the file of cases is left as it is to be.

        Raises:
            SuiteError: a case of the project has one of the ids already.
        """
        found = Examples()
        for mix in get_args(Mix):
            draft, reason = self._first(mix, found.drafts)
            if draft is None:
                found.left_out[mix] = reason
            else:
                found.drafts.append(draft)
        self.path.write_text(found.text(), encoding="utf-8")
        load(self.project)
        return found

    def _first(self, mix: Mix, before: list[Draft]) -> tuple[Draft | None, str]:
        reason, doubtful = NO_VALUE, None
        if mix == "edge" and not missable(self.plan.contract):
            return None, NO_REQUIRED
        for draft in drafts(self.plan.contract, mix, self.plan.language, self.plan.suite):
            self._refuse_taken(draft)
            findings = list(self._findings([*before, draft]))
            if not findings:
                return draft, ""
            if doubtful is None and all(each.severity == "warning" for each in findings):
                doubtful = draft
            reason = f"{REFUSED} (first: {findings[0].rule})."
        return doubtful, reason

    def _findings(self, drafted: list[Draft]) -> Iterator[Finding]:
        """What the check says of the drafts; that nobody has reviewed them yet is left out."""
        self.path.write_text(cases_text(drafted, ()), encoding="utf-8")
        try:
            material = load(self.project)
        except FcbenchError as error:
            yield Finding(rule="load", message=error.message, file=self.path.name)
            return
        for finding in (*check(material.suites, material.registries), *judge_cases(material)):
            if finding.rule != "ethics":
                yield finding

    def _refuse_taken(self, draft: Draft) -> None:
        name = draft.case["id"]
        if name in self.taken:
            raise SuiteError(
                "the project has a case of this id already",
                wanted="ids that are unique over all suites",
                found=str(name),
                where=str(self.project.suites),
                next_step="choose another --suite: the ids begin with its name",
            )

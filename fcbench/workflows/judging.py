"""Verdicts while a run goes on, for whoever looks on: the engine itself never sees an oracle."""

from __future__ import annotations

from collections.abc import Mapping

from fcbench.core.contracts import ToolContract, contracts_of
from fcbench.core.evidence import Attempt
from fcbench.core.names import CaseId, Effect, HarnessName, Tier, ToolName
from fcbench.evaluator import applicable_tiers, judge
from fcbench.workflows.planning import protocol_of
from fcbench.workflows.project import Material


class Onlooker:
    """Knows the cases of a run and judges its attempts at the headline tier, one by one."""

    def __init__(self, material: Material, target: str) -> None:
        """Look on.

        Args:
            material: the loaded project.
            target: what is run: a collection, `collection/subset` or a suite.

        Raises:
            NotFoundError: there is no such target.
            UsageError: it is a suite of no collection.
        """
        material.suites.case_set(target)
        self._material = material
        self.headline = protocol_of(material.suites, target).headline_tier

    def tier_of(self, case: CaseId, harness: HarnessName) -> Tier | None:
        """The headline tier, else the first that harness and case allow; None where there is none."""
        known = self._material.suites.cases.get(case)
        tiers = applicable_tiers(known, harness) if known else ()
        return self.headline if self.headline in tiers else next(iter(tiers), None)

    def passed(self, attempt: Attempt, harness: HarnessName) -> bool | None:
        """Whether an attempt passes; None where it cannot be judged."""
        tier, case = self.tier_of(attempt.task_id, harness), self._material.suites.cases.get(attempt.task_id)
        if tier is None or case is None:
            return None
        return judge(case, attempt, self._contracts(attempt.task_id), harness, tier).passed

    def effect(self, case: str, tool: str) -> Effect | None:
        """The effect of a tool; None where there is no such tool."""
        contract = self._contracts(CaseId(case)).get(ToolName(tool))
        return contract.effect if contract else None

    def _contracts(self, case_id: CaseId) -> Mapping[ToolName, ToolContract]:
        case = self._material.suites.cases.get(case_id)
        return contracts_of(case.task, self._material.registries[case.task.registry].contracts) if case else {}


__all__ = ["Onlooker"]

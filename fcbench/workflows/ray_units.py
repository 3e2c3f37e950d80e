"""The driver's side of `--engine ray`: which work the workers of the cluster are given."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fcbench.engine.halt import Halt
from fcbench.engine.ray_cluster import RayUnits, workers_of
from fcbench.packages.manifest import RunHeader
from fcbench.workflows.header import Prepared
from fcbench.workflows.planning import RunRequest
from fcbench.workflows.ray_worker import PartWorker, part_of_run


def units_of(
    prepared: Prepared,
    request: RunRequest,
    header: RunHeader,
    halt: Halt,
    say: Callable[[str], None],
    *,
    was_answered: bool,
) -> RayUnits:
    """What makes the attempts of a run on its cluster. Needs a connection.

    Args:
        prepared: the plan.
        request: as the user gave it.
        header: of the run.
        halt: ends the run before its time.
        say: told of lost workers.
        was_answered: whether the provider answered any attempt before (`engine.schedule.Answered`).
    """
    part = part_of_run(prepared, request, header, workers_of(request.cluster), was_answered=was_answered)
    return RayUnits(request.cluster, partial(PartWorker, part), halt, say)


__all__ = ["units_of"]

"""Where the attempts of a run are made: in this process, or by workers of a Ray cluster."""

from __future__ import annotations

from typing import Literal

from fcbench.core.records import Record
from fcbench.errors import UsageError

EngineName = Literal["local", "ray"]


class Cluster(Record, frozen=True, kw_only=True):
    """Which Ray cluster, and what of it."""

    address: str | None = None
    """Of its head; without one the cluster that RAY_ADDRESS names, else one that is started on this machine."""
    workers: int | None = None
    """Workers at once; one for each machine of the cluster without."""
    gpus: float = 0.0
    """GPUs that each worker takes, for models that a worker runs itself."""

    def check(self) -> None:
        """Refuse what no cluster can give.

        Raises:
            UsageError: a number is out of its range.
        """
        if self.workers is not None and not 1 <= self.workers <= 1000:
            raise UsageError(
                "the number of workers is out of range",
                wanted="1 to 1000",
                found=str(self.workers),
                where="--ray-workers",
            )
        if not 0 <= self.gpus <= 64:
            raise UsageError(
                "the number of GPUs is out of range", wanted="0 to 64", found=f"{self.gpus:g}", where="--ray-gpus"
            )


__all__ = ["Cluster", "EngineName"]

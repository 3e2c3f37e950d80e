"""Libraries of model hubs stay offline and send no telemetry, whatever the environment says.

They read these variables when they are imported, so the command line sets them before anything else.
"""

from __future__ import annotations

from collections.abc import MutableMapping

HUB_OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}
"""No request to a hub, and no token to go with one. A command that pushes is the only one to take these back."""
NO_TELEMETRY = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""Each library's own word for it, and the common one."""


def stay_offline(environment: MutableMapping[str, str]) -> None:
    """Force hub libraries offline and telemetry off, in this process and those that it starts."""
    environment.update({**HUB_OFFLINE, **NO_TELEMETRY})


__all__ = ["HUB_OFFLINE", "NO_TELEMETRY", "stay_offline"]

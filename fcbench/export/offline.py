"""Libraries of model hubs stay offline and send no telemetry, whatever the environment says.

They read these variables when they are imported, so the command line sets them before anything else.
"""

from __future__ import annotations

from collections.abc import MutableMapping

HUB_OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}
"""No request to a hub, and no token to go with one. Only commands that are given a
repository take the first two back (`go_online`)."""
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


def go_online(environment: MutableMapping[str, str]) -> None:
    """Allow requests to a hub, for a command that a user gave to reach one; no token goes along by itself.

    To be called before a library of a hub is loaded.
    """
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        environment.pop(name, None)


__all__ = ["HUB_OFFLINE", "NO_TELEMETRY", "go_online", "stay_offline"]

"""How tracks are drawn."""

from __future__ import annotations

from collections.abc import Mapping

from fcbench.core.names import JsonObject, JsonValue
from fcbench.workbench.arguments import Arguments
from fcbench.workbench.errors import ToolError
from fcbench.workbench.results import listing
from fcbench.workbench.session import Session
from fcbench.workbench.tools import tool
from fcbench.workbench.view import TRACKS

COLORS = ("yellow", "green", "blue", "red", "purple", "orange", "grey")
SCALES = ("linear", "log")
LEAST_HEIGHT, GREATEST_HEIGHT = 10, 400
"""Pixels."""
DEFAULTS: Mapping[str, Mapping[str, JsonValue]] = {
    "genes": {"height": 80, "color": "blue", "labels": True},
    "gc": {"height": 40, "color": "green", "scale": "linear"},
    "reads": {"height": 120, "color": "grey", "scale": "linear"},
    "variants": {"height": 30, "color": "red", "labels": True},
    "primers": {"height": 30, "color": "purple", "labels": True},
    "highlights": {"height": 20, "labels": True},
    "sequence": {"height": 20},
}
"""Track -> each setting that it has, with the value it starts from. Marks bring their own colours."""


@tool("get_track_settings", engine="session", provenance="state")
def get_track_settings(session: Session, arguments: Arguments) -> JsonObject:
    """The settings of one track or of all."""
    wanted = (arguments.text("track"),) if "track" in arguments else TRACKS
    tracks: list[JsonValue] = [{"track": track, **_settings(session, track)} for track in wanted]
    return listing("tracks", tracks)


@tool("update_track_settings", engine="session", provenance="state")
def update_track_settings(session: Session, arguments: Arguments) -> JsonObject:
    """Change settings of a track, all of the call or none.

    Raises:
        ToolError: `bad_argument`: the track lacks one of the settings.
    """
    track, given = arguments.text("track"), _given(arguments)
    known = DEFAULTS[track]
    strange = [name for name in given if name not in known]
    if strange:
        raise ToolError("bad_argument", f"the track {track} has {', '.join(known)}; it has no {', '.join(strange)}")
    differing = {name: value for name, value in {**_settings(session, track), **given}.items() if value != known[name]}
    session.view.settings = {name: values for name, values in session.view.settings.items() if name != track}
    if differing:
        session.view.settings[track] = differing
    return {"track": track, "settings": given}


@tool("describe_track_settings", engine="session", provenance="state")
def describe_track_settings(session: Session, arguments: Arguments) -> JsonObject:
    """The settings there are, their tracks and the values they take."""
    height: JsonObject = {"kind": "whole_number", "minimum": LEAST_HEIGHT, "maximum": GREATEST_HEIGHT}
    kinds: dict[str, JsonObject] = {
        "height": height,
        "color": {"kind": "choice", "choices": list(COLORS)},
        "scale": {"kind": "choice", "choices": list(SCALES)},
        "labels": {"kind": "yes_or_no"},
    }
    described: list[JsonValue] = [
        {"setting": setting, "tracks": [track for track in TRACKS if setting in DEFAULTS[track]], **kind}
        for setting, kind in kinds.items()
    ]
    return listing("settings", described)


def _settings(session: Session, track: str) -> JsonObject:
    """The settings of a track as they are now."""
    return {**DEFAULTS[track], **session.view.settings.get(track, {})}


def _given(arguments: Arguments) -> JsonObject:
    """The settings of the call; a height of 30.0 becomes 30."""
    found = arguments.value("settings")
    if not isinstance(found, dict):
        raise TypeError(f"settings is no object: {found!r}")
    return {**found, "height": Arguments(found).integer("height")} if "height" in found else dict(found)

"""Tabs against a plain list, and settings against what their description says."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcbench.core.names import JsonObject, JsonValue, ToolName
from fcbench.workbench.view import TRACKS
from tests.workbench.worlds import content, contracts, error_code, fresh, run

STEPS = st.one_of(
    st.tuples(st.just("open_tab"), st.sampled_from(["a", "b"])),
    st.tuples(st.just("switch_tab"), st.integers(1, 6).map(lambda number: f"tab-{number}")),
    st.tuples(st.just("close_tab"), st.none() | st.integers(1, 6).map(lambda number: f"tab-{number}")),
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(steps=st.lists(STEPS, max_size=12))
def test_tabs_behave_like_a_list_with_one_in_front(steps: list[tuple[str, str | None]]) -> None:
    session = fresh()
    tabs, front, minted = ["tab-1"], "tab-1", 1
    for tool, word in steps:
        if tool == "open_tab":
            minted += 1
            front = f"tab-{minted}"
            tabs.append(front)
            content(session, tool, title=word)
        elif tool == "switch_tab":
            there = word in tabs
            assert (run(session, tool, tab_id=word).status == "ok") is there
            front = str(word) if there else front
        else:
            gone = word or front
            possible = gone in tabs and len(tabs) > 1
            assert (run(session, tool, **({"tab_id": word} if word else {})).status == "ok") is possible
            if possible:
                at = tabs.index(gone)
                tabs.remove(gone)
                front = front if gone != front else tabs[at - 1 if at else 0]
        listed = content(session, "list_tabs")["tabs"]
        assert isinstance(listed, list)
        assert [tab["tab_id"] for tab in listed if isinstance(tab, dict)] == tabs
        assert [tab["tab_id"] for tab in listed if isinstance(tab, dict) and tab["in_front"]] == [front]
        assert content(session, "get_view_state")["tab_id"] == front
    session.files.close()


def described() -> dict[str, JsonObject]:
    """The settings by name, as the tool describes them."""
    found = content(fresh(), "describe_track_settings")["settings"]
    assert isinstance(found, list)
    return {str(each["setting"]): each for each in found if isinstance(each, dict)}


def values(setting: JsonObject) -> list[JsonValue]:
    """Values at the edges of a described setting."""
    if setting["kind"] == "whole_number":
        return [setting["minimum"], setting["maximum"]]
    choices = setting.get("choices", [True, False])
    assert isinstance(choices, list)
    return choices


@pytest.mark.parametrize("track", TRACKS)
def test_a_track_takes_exactly_the_settings_that_are_described_for_it(track: str) -> None:
    session = fresh()
    for name, setting in described().items():
        tracks = setting["tracks"]
        assert isinstance(tracks, list)
        for value in values(setting):
            if track not in tracks:
                assert error_code(session, "update_track_settings", track=track, settings={name: value})
                continue
            content(session, "update_track_settings", track=track, settings={name: value})
            now = content(session, "get_track_settings", track=track)["tracks"]
            assert isinstance(now, list)
            assert isinstance(now[0], dict)
            assert now[0][name] == value
            assert set(now[0]) == {"track"} | {
                key
                for key, each in described().items()
                if track in (each["tracks"] or [])  # type: ignore[operator]
            }


def test_the_description_says_what_the_contract_takes() -> None:
    wanted = contracts()[ToolName("update_track_settings")].properties["settings"]
    assert isinstance(wanted, dict)
    schemas = wanted["properties"]
    assert isinstance(schemas, dict)
    assert set(schemas) == set(described())
    for name, setting in described().items():
        schema = schemas[name]
        assert isinstance(schema, dict)
        assert (schema.get("minimum"), schema.get("maximum"), schema.get("enum")) == (
            setting.get("minimum"),
            setting.get("maximum"),
            setting.get("choices"),
        )


def test_a_mark_takes_the_colours_that_tracks_take() -> None:
    color = contracts()[ToolName("highlight_region")].properties["color"]
    assert isinstance(color, dict)
    assert color["enum"] == described()["color"]["choices"]


def test_each_track_is_shown_and_hidden_on_its_own() -> None:
    for hidden in itertools.chain.from_iterable(itertools.combinations(TRACKS, count) for count in (0, 1, 3, 7)):
        session = fresh()
        for track in TRACKS:
            content(session, "set_track_visibility", track=track, visible=track not in hidden)
        listed = content(session, "get_track_status")["tracks"]
        assert listed == [{"track": track, "visible": track not in hidden} for track in TRACKS]

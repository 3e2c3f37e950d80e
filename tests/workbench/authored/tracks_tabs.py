"""What the tools of the category `tracks_tabs` answer."""

from __future__ import annotations

from tests.workbench.rows import Row

TRACKS = ("genes", "gc", "reads", "variants", "primers", "highlights", "sequence")
ROWS = (
    Row(
        id="the first bases of the genome",
        tool="open_tab",
        before=(("go_to_gene", {"gene_name": "araA"}),),
        answers={"tab_id": "tab-2", "title": "Genome", "sequence_id": "D10483.2", "start": 1, "end": 5000},
    ),
    Row(
        id="a copy of the view in front",
        tool="open_tab",
        before=(("zoom_to_gene", {"gene_name": "araA"}),),
        arguments={"title": "ara", "copy_current_view": True},
        answers={"tab_id": "tab-2", "title": "ara", "start": 66352, "end": 68154},
    ),
    Row(
        id="without a genome a tab shows nothing",
        tool="open_tab",
        fixture="empty-session",
        answers={"tab_id": "tab-2", "title": "Genome"},
    ),
    Row(
        id="a number is never used again",
        tool="open_tab",
        before=(("open_tab", {}), ("close_tab", {})),
        answers={"tab_id": "tab-3"},
    ),
    Row(
        id="back to the first with its own range",
        tool="switch_tab",
        before=(("go_to_gene", {"gene_name": "talB"}), ("open_tab", {"title": "second"})),
        arguments={"tab_id": "tab-1"},
        answers={"tab_id": "tab-1", "title": "Genome", "start": 5876, "end": 10875},
    ),
    Row(
        id="to the one in front",
        tool="switch_tab",
        arguments={"tab_id": "tab-1"},
        answers={"tab_id": "tab-1", "sequence_id": "D10483.2", "start": 1, "end": 5000},
    ),
    Row(id="a tab that is not open", tool="switch_tab", arguments={"tab_id": "tab-2"}, error="not_found"),
    Row(
        id="the one in front, its left neighbour follows",
        tool="close_tab",
        before=(("open_tab", {}), ("open_tab", {})),
        answers={"closed_tab_id": "tab-3", "front_tab_id": "tab-2", "remaining": 2},
    ),
    Row(
        id="the leftmost, its right neighbour follows",
        tool="close_tab",
        before=(("open_tab", {}), ("open_tab", {}), ("switch_tab", {"tab_id": "tab-1"})),
        answers={"closed_tab_id": "tab-1", "front_tab_id": "tab-2", "remaining": 2},
    ),
    Row(
        id="one behind, the front stays",
        tool="close_tab",
        before=(("open_tab", {}), ("open_tab", {})),
        arguments={"tab_id": "tab-1"},
        answers={"closed_tab_id": "tab-1", "front_tab_id": "tab-3", "remaining": 2},
    ),
    Row(id="the last tab stays", tool="close_tab", error="bad_argument"),
    Row(id="no such tab", tool="close_tab", arguments={"tab_id": "tab-9"}, error="not_found"),
    Row(
        id="one tab",
        tool="list_tabs",
        answers={
            "count": 1,
            "tabs": [
                {
                    "tab_id": "tab-1",
                    "title": "Genome",
                    "in_front": True,
                    "sequence_id": "D10483.2",
                    "start": 1,
                    "end": 5000,
                }
            ],
        },
    ),
    Row(
        id="from left to right, the second in front",
        tool="list_tabs",
        before=(
            ("go_to_gene", {"gene_name": "talB"}),
            ("open_tab", {"title": "second"}),
            ("open_tab", {"title": "third"}),
            ("switch_tab", {"tab_id": "tab-2"}),
        ),
        answers={
            "count": 3,
            "tabs": [
                {"tab_id": "tab-1", "title": "Genome", "in_front": False, "start": 5876, "end": 10875},
                {"tab_id": "tab-2", "title": "second", "in_front": True, "start": 1, "end": 5000},
                {"tab_id": "tab-3", "title": "third", "in_front": False},
            ],
        },
    ),
    Row(
        id="without a genome",
        tool="list_tabs",
        fixture="empty-session",
        answers={"count": 1, "tabs": [{"tab_id": "tab-1", "in_front": True}]},
    ),
    Row(
        id="all but the letters at first",
        tool="get_track_status",
        answers={"count": 7, "tracks": [{"track": track, "visible": track != "sequence"} for track in TRACKS]},
    ),
    Row(
        id="after two changes",
        tool="get_track_status",
        before=(
            ("set_track_visibility", {"track": "sequence", "visible": True}),
            ("set_track_visibility", {"track": "gc", "visible": False}),
        ),
        answers={"tracks": [{"track": track, "visible": track != "gc"} for track in TRACKS]},
    ),
    Row(
        id="without a genome",
        tool="get_track_status",
        fixture="empty-session",
        answers={"count": 7},
    ),
    Row(
        id="hidden",
        tool="set_track_visibility",
        arguments={"track": "reads", "visible": False},
        answers={"track": "reads", "visible": False},
    ),
    Row(
        id="shown already",
        tool="set_track_visibility",
        arguments={"track": "genes", "visible": True},
        answers={"track": "genes", "visible": True},
    ),
    Row(
        id="without a genome",
        tool="set_track_visibility",
        fixture="empty-session",
        arguments={"track": "sequence", "visible": True},
        answers={"track": "sequence", "visible": True},
    ),
    Row(
        id="of one track",
        tool="get_track_settings",
        arguments={"track": "gc"},
        answers={"count": 1, "tracks": [{"track": "gc", "height": 40, "color": "green", "scale": "linear"}]},
    ),
    Row(
        id="of every track, after a change",
        tool="get_track_settings",
        before=(("update_track_settings", {"track": "genes", "settings": {"labels": False}}),),
        answers={
            "count": 7,
            "tracks": [
                {"track": "genes", "height": 80, "color": "blue", "labels": False},
                *({"track": track} for track in TRACKS[1:]),
            ],
        },
    ),
    Row(
        id="changes add up, the last one of a setting counts",
        tool="get_track_settings",
        before=(
            ("update_track_settings", {"track": "reads", "settings": {"scale": "log", "height": 100}}),
            ("update_track_settings", {"track": "reads", "settings": {"height": 250.0}}),
        ),
        arguments={"track": "reads"},
        answers={"tracks": [{"track": "reads", "height": 250, "color": "grey", "scale": "log"}]},
    ),
    Row(
        id="two settings at once",
        tool="update_track_settings",
        arguments={"track": "variants", "settings": {"height": 55, "color": "orange"}},
        answers={"track": "variants", "settings": {"height": 55, "color": "orange"}},
    ),
    Row(
        id="genes have no axis, and the height does not change either",
        tool="update_track_settings",
        arguments={"track": "genes", "settings": {"height": 55, "scale": "log"}},
        error="bad_argument",
    ),
    Row(
        id="marks bring their own colours",
        tool="update_track_settings",
        arguments={"track": "highlights", "settings": {"color": "red"}},
        error="bad_argument",
    ),
    Row(
        id="four settings",
        tool="describe_track_settings",
        answers={
            "count": 4,
            "settings": [
                {
                    "setting": "height",
                    "kind": "whole_number",
                    "tracks": list(TRACKS),
                    "minimum": 10,
                    "maximum": 400,
                },
                {"setting": "color", "kind": "choice", "tracks": ["genes", "gc", "reads", "variants", "primers"]},
                {"setting": "scale", "kind": "choice", "tracks": ["gc", "reads"], "choices": ["linear", "log"]},
                {"setting": "labels", "kind": "yes_or_no", "tracks": ["genes", "variants", "primers", "highlights"]},
            ],
        },
    ),
    Row(
        id="without a genome",
        tool="describe_track_settings",
        fixture="empty-session",
        answers={"count": 4},
    ),
)

"""A registry out of tools of somebody else: files of every form, and a live MCP server."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcbench.cli.main import main
from fcbench.core.yaml12 import load_yaml
from fcbench.errors import BadInputError, FcbenchError, UnavailableError, UsageError, WriteError
from fcbench.registry import load_registries
from fcbench.registry.tool_list import read_tools
from fcbench.workflows.import_registry import import_file, import_server

SCHEMA = {
    "type": "object",
    "properties": {"City": {"type": "string", "pattern": "^[A-Z]", "description": "You MUST write the city."}},
    "required": ["City"],
    "additionalProperties": False,
}
MCP = [
    {
        "name": "get-weather",
        "title": "W",
        "description": "Weather.",
        "inputSchema": SCHEMA,
        "annotations": {"readOnlyHint": True},
    },
    {"name": "set-alarm", "description": "Alarm.", "inputSchema": SCHEMA, "outputSchema": {"type": "object"}},
]
OPENAI = [
    {"type": "function", "function": {"name": "get-weather", "description": "Weather.", "parameters": SCHEMA}},
    {"type": "function", "function": {"name": "set-alarm", "description": "Alarm.", "parameters": SCHEMA}},
]
RESPONSES = [{"type": "function", "name": "get-weather", "description": "Weather.", "parameters": SCHEMA}]


@pytest.mark.parametrize(
    ("value", "names"),
    [
        pytest.param({"tools": MCP}, ["get-weather", "set-alarm"], id="mcp-result"),
        pytest.param(
            {"jsonrpc": "2.0", "id": 1, "result": {"tools": MCP}}, ["get-weather", "set-alarm"], id="mcp-response"
        ),
        pytest.param(MCP, ["get-weather", "set-alarm"], id="mcp-list"),
        pytest.param(OPENAI, ["get-weather", "set-alarm"], id="openai-list"),
        pytest.param({"model": "x", "tools": OPENAI}, ["get-weather", "set-alarm"], id="openai-request"),
        pytest.param(RESPONSES, ["get-weather"], id="openai-responses"),
        pytest.param({**SCHEMA, "title": "Book a Ride"}, ["book_a_ride"], id="json-schema"),
        pytest.param(SCHEMA, ["tools"], id="json-schema-named-by-its-file"),
        pytest.param(
            {"type": "object", "properties": {"tools": {"type": "array"}}},
            ["tools"],
            id="schema-with-a-field-named-tools",
        ),
    ],
)
def test_every_form_becomes_a_registry_with_the_schemas_untouched(tmp_path, value, names):
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(value))
    import_file(file, tmp_path / "bench", "own")
    contracts = load_registries(tmp_path / "bench" / "tools_registry")["own"].contracts
    assert sorted(contracts) == names
    if value is not SCHEMA and names != ["tools"]:
        assert all(one.parameters.get("properties") == SCHEMA["properties"] for one in contracts.values())


def test_what_a_server_says_of_effects_is_kept_and_everything_else_may_change_something(tmp_path):
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(MCP))
    import_file(file, tmp_path / "bench")
    contracts = load_registries(tmp_path / "bench" / "tools_registry")["tools"].contracts
    assert {name: one.effect for name, one in contracts.items()} == {"get-weather": "reads", "set-alarm": "project"}
    assert {one.imported_from for one in contracts.values()} == {"MCP tool: tools.json"}


def test_names_that_differ_in_signs_or_case_only_get_files_of_their_own(tmp_path):
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([{"name": name, "inputSchema": SCHEMA} for name in ("a-b", "a.b", "A_B")]))
    import_file(file, tmp_path / "bench", "own")
    files = sorted((tmp_path / "bench" / "tools_registry" / "own").iterdir())
    assert [path.name for path in files] == ["A_B_3.yaml", "a_b.yaml", "a_b_2.yaml"]
    assert sorted(str(load_yaml(path).value["name"]) for path in files) == ["A_B", "a-b", "a.b"]


@pytest.mark.parametrize(
    ("value", "error"),
    [
        pytest.param([], BadInputError, id="empty-list"),
        pytest.param({"tools": []}, BadInputError, id="no-tools"),
        pytest.param([*MCP, MCP[0]], BadInputError, id="a-name-twice"),
        pytest.param([{"name": "x", "inputSchema": {"type": "array"}}], BadInputError, id="not-an-object"),
        pytest.param([{"name": "x\u202e", "inputSchema": SCHEMA}], BadInputError, id="name-with-a-format-character"),
        pytest.param([{"name": "x" * 129, "inputSchema": SCHEMA}], BadInputError, id="name-too-long"),
        pytest.param(
            [{"name": "x", "inputSchema": {"type": "object", "properties": {"a": {"type": "no"}}}}],
            BadInputError,
            id="bad-schema",
        ),
        pytest.param(["x"], BadInputError, id="a-text"),
    ],
)
def test_what_holds_no_usable_tools_is_refused_and_leaves_nothing(tmp_path, value, error):
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(value))
    with pytest.raises(error):
        import_file(file, tmp_path / "bench", "own")
    assert not (tmp_path / "bench").exists()


def test_a_registry_that_is_there_is_never_overwritten(tmp_path):
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(MCP))
    import_file(file, tmp_path / "bench", "own")
    before = {path: path.read_bytes() for path in (tmp_path / "bench").rglob("*.yaml")}
    with pytest.raises(WriteError):
        import_file(file, tmp_path / "bench", "own")
    assert {path: path.read_bytes() for path in (tmp_path / "bench").rglob("*.yaml")} == before


def test_a_folder_of_other_files_is_no_place_for_a_project(tmp_path):
    (tmp_path / "tools.json").write_text(json.dumps(MCP))
    with pytest.raises(UsageError):
        import_file(tmp_path / "tools.json", tmp_path, "own")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["tools", "result", "name", "inputSchema", "parameters", "type", "function", "annotations", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_gives_tools_or_an_error_of_ours(value):
    try:
        tools = read_tools(value, "here")
    except FcbenchError:
        return
    assert tools
    assert len({one.name for one in tools}) == len(tools)


SERVER = """
import json, sys
tools, mode = json.loads(sys.argv[1]), sys.argv[2]
def say(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
started = False
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        if mode == "silent": continue
        if mode == "noise": print("Starting server...", flush=True); continue
        if mode == "dies": sys.exit("no key")
        say(method="notifications/message", params={"level": "info", "data": "hello"})
        say(id="s1", method="ping")
        say(id=message["id"], result={"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}})
    elif message.get("method") == "notifications/initialized":
        started = True
    elif message.get("method") == "tools/list":
        if not started: say(id=message["id"], error={"code": -32600, "message": "not initialized"}); continue
        page = int(message["params"].get("cursor", 0))
        more = {"nextCursor": str(page + 1)} if page + 1 < len(tools) or mode == "endless" else {}
        say(id=message["id"], result={"tools": [tools[page % len(tools)]], **more})
    elif "method" in message:
        sys.exit("called: " + message["method"])
"""


def command_of(tmp_path, mode):
    path = tmp_path / "server.py"
    path.write_text(SERVER)
    return f"{sys.executable} {path} '{json.dumps(MCP)}' {mode}"


def test_a_live_server_is_asked_page_by_page(tmp_path):
    import_server(command_of(tmp_path, "ok"), tmp_path / "bench", "own")
    contracts = load_registries(tmp_path / "bench" / "tools_registry")["own"].contracts
    assert {name: one.effect for name, one in contracts.items()} == {"get-weather": "reads", "set-alarm": "project"}


@pytest.mark.parametrize(
    ("mode", "error"),
    [
        pytest.param("noise", BadInputError, id="text-on-stdout"),
        pytest.param("dies", UnavailableError, id="ends-at-once"),
        pytest.param("endless", BadInputError, id="pages-without-end"),
    ],
)
def test_a_server_that_misbehaves_is_an_error_that_says_so(tmp_path, mode, error):
    with pytest.raises(error):
        import_server(command_of(tmp_path, mode), tmp_path / "bench", "own")
    assert not (tmp_path / "bench").exists()


def test_a_server_that_never_answers_ends_with_the_limit(tmp_path):
    with pytest.raises(UnavailableError, match="list of tools"):
        import_server(command_of(tmp_path, "silent"), tmp_path / "bench", "own", timeout_s=0.3)


def test_no_such_program_is_not_available(tmp_path):
    with pytest.raises(UnavailableError):
        import_server("no-such-program-of-ours", tmp_path / "bench", "own")


def test_the_command_wants_one_source(tmp_path, capsys):
    assert main(["registry", "import", "--project", str(tmp_path / "bench")]) == 64
    file = tmp_path / "tools.json"
    file.write_text(json.dumps({"tools": OPENAI}))
    assert main(["registry", "import", str(file), "--project", str(tmp_path / "bench"), "--json"]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["tools"]] == ["get-weather", "set-alarm"]

"""Refusals in the words of those who refuse. The words are as users of each reported them."""

from __future__ import annotations

from fcbench.core.names import JsonValue
from tests.engine.faults.replies import call, calls, error, packed, raw
from tests.engine.faults.row import ENDS, Row
from tests.engine.faults.server import Answer, http

REFUSED = "no round; the tool where it is named, and the provider's words"


def flat(status: int, text: JsonValue, **fields: JsonValue) -> Answer:
    """An error that is not wrapped, as vLLM and Mistral send it."""
    return http(packed({"object": "error", "message": text, "type": "x", "param": None, **fields}), status=status)


def schema(name: str, answer: Answer, which: str, status: int = 400) -> Row:
    """A refusal because of a schema."""
    name = f"a schema refused in the words of {name}"
    return Row(
        name=name,
        answers=(answer,),
        outcome="schema_refused",
        kind="schema_refused",
        status=status,
        requests=1,
        holds=REFUSED,
        facts={"rounds": 0, "retries": 0, "message": which},
    )


def too_long(name: str, answer: Answer, status: int = 400) -> Row:
    """A conversation longer than the context, in the first round."""
    name = f"a conversation too long in the words of {name}"
    return Row(
        name=name,
        answers=(answer,),
        outcome="provider_error",
        kind="context_full",
        status=status,
        requests=1,
        holds="no round, the provider's words",
        facts={"rounds": 0, "retries": 0},
    )


A_TOOL = "a tool that it does not name"
OF_OPENAI = error(
    400,
    message="Invalid schema for function 'look_up': In context=(), object schema missing properties.",
    type="invalid_request_error",
    param="tools[1].function.parameters",
    code="invalid_function_parameters",
)
OF_GEMINI = http(
    packed(
        [
            {
                "error": {
                    "code": 400,
                    "message": 'Invalid JSON payload received. Unknown name "const" at \'tools[0].'
                    "function_declarations[2].parameters.properties[0].value': Cannot find field.",
                    "status": "INVALID_ARGUMENT",
                }
            }
        ]
    ),
    status=400,
)
OF_MISTRAL: JsonValue = {
    "detail": [
        {
            "type": "extra_forbidden",
            "loc": ["body", "tools", 1, "function", "required"],
            "msg": "Extra inputs are not permitted",
        }
    ]
}
SCHEMAS = (
    schema("OpenAI", OF_OPENAI, "the schema of look_up (tools[1])"),
    schema(
        "DeepSeek",
        error(
            400,
            message="Invalid schema for function 'mark_gene': schema must be a JSON "
            "Schema of 'type: \"object\"', got 'type: null'.",
            code="invalid_request_error",
        ),
        "the schema of mark_gene",
    ),
    schema(
        "vLLM", flat(400, "The provided JSON schema contains features not supported by xgrammar.", code=400), A_TOOL
    ),
    schema("vLLM, of a format", error(400, message="Grammar error: Unknown format: uri"), A_TOOL),
    schema(
        "llama.cpp, of the grammar",
        error(
            400,
            code=400,
            type="invalid_request_error",
            message="Failed to initialize samplers: failed to parse grammar",
        ),
        A_TOOL,
    ),
    schema(
        "llama.cpp, of the conversion",
        error(
            400,
            code=400,
            type="invalid_request_error",
            message='JSON schema conversion failed:\nUnrecognized schema: {"not":{}}',
        ),
        A_TOOL,
    ),
    schema(
        "llama.cpp until December 2025, status 500",
        error(
            500,
            code=500,
            type="server_error",
            message='JSON schema conversion failed:\nUnrecognized schema: {"not":{}}',
        ),
        A_TOOL,
        500,
    ),
    schema("Gemini", OF_GEMINI, "the schema of mark_gene (tools[2])"),
    schema(
        "Mistral",
        flat(400, "Invalid tool schema: {'type': 'object'} is not valid under any of the given schemas", code=None),
        A_TOOL,
    ),
    schema("Mistral, status 422", flat(422, OF_MISTRAL, code=None), "the schema of look_up (tools[1])", 422),
    Row(
        name="500, then a schema refused",
        answers=(error(500), OF_OPENAI),
        outcome="schema_refused",
        kind="schema_refused",
        status=400,
        requests=2,
        holds="no round, retries 1, the provider's words",
        facts={"rounds": 0, "retries": 1},
    ),
    Row(
        name="a schema refused in a later round",
        answers=(calls(call()), OF_OPENAI),
        outcome="provider_error",
        kind="refused",
        status=400,
        requests=2,
        facts={"rounds": 1},
        holds="the first round; a schema that was taken is not refused",
    ),
)
LENGTHS = (
    too_long(
        "OpenAI",
        error(400, code="context_length_exceeded", message="This model's maximum context length is 8192 tokens."),
    ),
    too_long(
        "llama.cpp",
        error(
            400,
            type="exceed_context_size_error",
            message="the request exceeds the available context size, try increasing it",
        ),
    ),
    too_long(
        "Gemini",
        error(400, message="The input token count (1203399) exceeds the maximum number of tokens allowed (1048575)."),
    ),
    too_long(
        "Mistral", flat(400, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length")
    ),
    Row(
        name="a conversation too long in a later round",
        outcome="budget_exhausted",
        kind="context_full",
        status=400,
        requests=2,
        facts={"rounds": 1, "stop": "context full"},
        holds="the rounds until then: judged on its evidence",
        answers=(calls(call()), error(400, code="context_length_exceeded")),
    ),
)


def ends(name: str, answer: Answer, holds: str = "nothing; the run says what to mend") -> Row:
    """A refusal that every request would hear."""
    return Row(name=name, answers=(answer,), outcome=ENDS, kind="refused", requests=1, holds=holds)


ELSEWHERE = {"Location": "https://elsewhere.example/v1/chat/completions"}
DOORS = (
    ends("401 to the first request", error(401, message="no such key")),
    ends("403 to the first request", error(403)),
    ends("404 to the first request: no such model", error(404, message="The model `m` does not exist")),
    ends("a redirect with status 307", raw(b"", status=307, **ELSEWHERE), "nothing; it is never followed, to no host"),
    ends("a redirect with status 302", raw(b"", status=302, **ELSEWHERE), "the same"),
    Row(
        name="401 after an answer",
        answers=(calls(call()), error(401)),
        outcome="provider_error",
        kind="authentication",
        status=401,
        requests=2,
        facts={"rounds": 1},
        holds="the round before it",
    ),
    Row(
        name="400 for another reason",
        answers=(error(400, message="temperature is not supported"),),
        outcome="provider_error",
        kind="refused",
        status=400,
        requests=1,
        facts={"retries": 0, "message": "temperature=omitted"},
        holds="no round, the provider's words",
    ),
    Row(
        name="402, no money",
        answers=(error(402),),
        outcome="provider_error",
        kind="refused",
        status=402,
        requests=1,
        facts={"retries": 0},
        holds="no round, the provider's words",
    ),
)
REFUSALS: tuple[tuple[str, tuple[Row, ...]], ...] = (
    ("Schema refused", SCHEMAS),
    ("Conversation too long", LENGTHS),
    ("Key, model, address", DOORS),
)

"""Whatever stands in an error's body, it becomes one of our failures, short and without the key."""

from __future__ import annotations

import json

import httpx2
import openai
from hypothesis import given
from hypothesis import strategies as st

from fcbench.providers.base import ProviderFailure, SchemaRefused
from fcbench.providers.openai_errors import translate
from fcbench.providers.refusals import MAX_MESSAGE

KEY = "sk-a-key-that-is-a-secret"
CLIENT = openai.AsyncOpenAI(api_key="x", base_url="http://127.0.0.1:9/v1", max_retries=0)
WORDS = st.sampled_from(
    [
        KEY,
        "Invalid schema for function 'get_gene'",
        "tools[99999]",
        "function_declarations[7]",
        "JSON schema conversion failed",
        "maximum context length",
        "temperature",
        "\ud800",
        "\x1b[2J",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "message", "code", "param", "type", "detail", "loc", "msg"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(
    status=st.integers(300, 599),
    body=VALUES.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=60) | st.just(KEY.encode() * 45),
    headers=st.dictionaries(
        st.sampled_from(["retry-after", "location"]), st.text("0123456789.eE:/-nainf ", max_size=12)
    ),
)
def test_any_error_becomes_one_of_ours(status: int, body: bytes, headers: dict[str, str]) -> None:
    request = httpx2.Request("POST", "http://127.0.0.1:9/v1/chat/completions")
    response = httpx2.Response(status, content=body, headers=headers, request=request)
    error = CLIENT._make_status_error_from_response(response)
    found = translate(error, now_s=0.0, hide=lambda text: text.replace(KEY, "***"), tools=("get_gene", "get_site"))
    assert isinstance(found, ProviderFailure | SchemaRefused)
    assert found.status == status
    assert len(found.message) < MAX_MESSAGE + 400
    assert KEY not in found.message
    found.message.encode()
    if isinstance(found, ProviderFailure):
        assert found.retry_after_s is None or 0 <= found.retry_after_s <= 3600

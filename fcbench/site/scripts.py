"""Data for scripts: a `.js` file instead of JSON, because a page opened from `file://` may not fetch."""

from __future__ import annotations

import json

from fcbench.core.names import JsonValue
from fcbench.site.text import visible

_ESCAPED = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def js_data(name: str, value: JsonValue) -> bytes:
    """A script that puts a value at `window.fcbench.<name>`.

    `<`, `>`, `&`, U+2028 and U+2029 are escaped, so that no text can end the script or a line of it, wherever the data
    stands. The reading script uses `textContent` only.
    """
    plain = json.dumps(_visible(value), ensure_ascii=False, separators=(",", ":"), sort_keys=True).translate(_ESCAPED)
    return f"(window.fcbench=window.fcbench||{{}})[{json.dumps(name)}]={plain};\n".encode()


def _visible(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(key): _visible(item) for key, item in value.items()}
    return [_visible(item) for item in value] if isinstance(value, list | tuple) else value

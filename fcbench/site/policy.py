"""The content security policy of every page: nothing inline but what its hash names, nothing from another host."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable

_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_DATA_TYPE = re.compile(r"""type\s*=\s*["']?application/json""", re.IGNORECASE)


def policy(script_hashes: Iterable[str] = ()) -> str:
    """The policy as the content of a meta element.

    Args:
        script_hashes: `sha256-...` sources of inline scripts that the theme brings; none on lean pages.
    """
    scripts = " ".join(["'self'", *(f"'{one}'" for one in sorted(set(script_hashes)))])
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'"
    )


def inline_hashes(page: str) -> list[str]:
    """Sources of the inline scripts of a page that the theme rendered."""
    found = []
    for attributes, content in _SCRIPT.findall(page):
        if "src=" not in attributes and not _DATA_TYPE.search(attributes):
            found.append("sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode())
    return found


def with_policy(page: str) -> str:
    """A page of the full layout with its policy as the first thing after the character set."""
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy(inline_hashes(page))}">'
    return page.replace('<meta charset="utf-8">', '<meta charset="utf-8">' + meta, 1)

"""Hand-written pages after Markdown: fitted to the site's rules, and summed up in one line."""

from __future__ import annotations

import re
from html import unescape
from itertools import count

from fcbench.site.text import excerpt

MAX_DESCRIPTION = 200
_TABLE = '<div class="fc-scroll" role="region" tabindex="0" aria-label="Table {}"><table class="fc-table">'
_ALIGNED = re.compile(r' style="text-align: (left|right|center);"')
_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def fit_for_pages(html: str) -> str:
    """A table gets a region that scrolls sideways, and its alignments become classes: the policy allows no style.

    A wide block of code can be reached by the keyboard, since it scrolls.
    """
    numbers = count(1)
    html = re.sub("<table>", lambda _: _TABLE.format(next(numbers)), html).replace("</table>", "</table></div>")
    html = html.replace("<pre><code", '<pre tabindex="0"><code')
    return _ALIGNED.sub(r' class="fc-\1"', html)


def described(html: str) -> str:
    """The first paragraph of a page as plain text, for search engines and link previews."""
    found = _PARAGRAPH.search(html)
    return excerpt(unescape(_TAG.sub("", found.group(1))), MAX_DESCRIPTION) if found else ""

"""Text that nothing obeys: no terminal escapes, no Markdown, no HTML. Names and replies come from models and files."""

from __future__ import annotations

import re
import string
import unicodedata

from fcbench.core.canonical import clean_text

_PUNCTUATION = {ord(letter): f"&#{ord(letter)};" for letter in string.punctuation}


_OBEYED = re.compile(
    r"[^\w\s.,;:%()/-]|_|:(?![ \d])|(?<!\d):(?=\d)"
    r"|\.(?![\d ]|$)|(?<=\d)\.(?!\d)|(?<!\d)\.(?=\d)|(?<!\w)-(?=.)|(?<=.)-(?!\w)",
    re.ASCII,
)
"""What a Markdown reader may obey inside a line; not a point or a colon between digits or after a letter before a
blank, a hyphen inside a word or alone."""
MAX_CELL = 400
"""Letters of a cell; a longer text is cut."""


def visible(text: str) -> str:
    """Text without terminal escapes: control and format characters but newline and tab become visible."""
    return "".join(letter if is_harmless(letter) else f"\\u{ord(letter):04x}" for letter in clean_text(text))


def is_harmless(letter: str) -> bool:
    """Whether a letter is one that a terminal shows and does not obey; newline and tab are."""
    return letter.isprintable() or letter in "\n\t" or unicodedata.category(letter) not in ("Cc", "Cf", "Cs")


def markdown_text(text: str) -> str:
    """Text on one line that no Markdown reader obeys: every mark of punctuation becomes a character reference."""
    return " ".join(visible(text).split()).translate(_PUNCTUATION)


def markdown_cell(text: str) -> str:
    """The same for a cell of a table that people also read unrendered: only marks that could be obeyed are replaced.

    Letters beyond ASCII stay as they are. A text beyond 400 letters is cut.
    """
    line = " ".join(visible(text).split())
    cut = line if len(line) <= MAX_CELL else line[: MAX_CELL - 1] + "…"
    return _OBEYED.sub(lambda found: found[0] if ord(found[0]) > 127 else f"&#{ord(found[0])};", cut)

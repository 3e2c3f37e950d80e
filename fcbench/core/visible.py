"""Text that nothing obeys: no terminal escapes, no Markdown, no HTML. Names and replies come from models and files."""

from __future__ import annotations

import string
import unicodedata

from fcbench.core.canonical import clean_text

_PUNCTUATION = {ord(letter): f"&#{ord(letter)};" for letter in string.punctuation}


def visible(text: str) -> str:
    """Text without terminal escapes: control and format characters but newline and tab become visible."""
    return "".join(letter if is_harmless(letter) else f"\\u{ord(letter):04x}" for letter in clean_text(text))


def is_harmless(letter: str) -> bool:
    """Whether a letter is one that a terminal shows and does not obey; newline and tab are."""
    return letter.isprintable() or letter in "\n\t" or unicodedata.category(letter) not in ("Cc", "Cf", "Cs")


def markdown_text(text: str) -> str:
    """Text on one line that no Markdown reader obeys: every mark of punctuation becomes a character reference."""
    return " ".join(visible(text).split()).translate(_PUNCTUATION)

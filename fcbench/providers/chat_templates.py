"""Which chat template a local model is served with.

Some model files ship a template that asks for a call format which the model does not write; the server then finds no
call in the text. For those fcbench brings a template of its own, declared in `ADAPTED`, disclosed in the record of the
run (`adapted template`, its text and its hash) and overridden by the provider option `chat_template`.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from fcbench.core.canonical import digest_text
from fcbench.core.names import Digest
from fcbench.core.records import Record
from fcbench.errors import BadInputError, NotFoundError
from fcbench.providers.gguf import GgufHeader

MAX_TEMPLATE = 1024 * 1024


class AdaptedTemplate(Record, frozen=True, kw_only=True):
    """A template of ours and the model files that it is for: all three conditions must hold."""

    file: str
    """Name under `fcbench/providers/templates/`."""
    architecture: str
    name_holds: tuple[str, ...]
    """Words of `general.name`, lower case."""
    shipped_holds: str
    """A text of the shipped template: another template means another model."""


ADAPTED = (
    AdaptedTemplate(
        file="qwen2.5-coder.jinja",
        architecture="qwen2",
        name_holds=("qwen2.5", "coder"),
        shipped_holds="within <tool_call></tool_call> XML tags",
    ),
)
"""The built-in table."""


class ChatTemplate(Record, frozen=True, kw_only=True):
    """The template that a server is started with."""

    source: str
    """`adapted: NAME`, `shipped` or `file: NAME`."""
    text: str | None
    """The text, where it replaces the shipped one."""
    sha256: Digest | None
    """Of the text in use; None where the file ships none."""

    @property
    def is_adapted(self) -> bool:
        """Whether the shipped template is replaced."""
        return self.text is not None


def choose_template(header: GgufHeader, wanted: str = "auto") -> ChatTemplate:
    """The template for a model file.

    Args:
        header: the file's header.
        wanted: `auto` (ours where the table names the model, else the shipped one), `shipped`, or a path.

    Raises:
        NotFoundError: the named template file does not exist.
        BadInputError: it cannot be read as UTF-8 text of at most a mebibyte.
    """
    if wanted not in ("auto", "shipped"):
        text = _read(Path(wanted))
        return ChatTemplate(source=f"file: {Path(wanted).name}", text=text, sha256=digest_text(text))
    shipped = header.chat_template
    for entry in ADAPTED if wanted == "auto" else ():
        if _fits(entry, header, shipped or ""):
            folder = resources.files("fcbench.providers") / "templates"
            text = (folder / entry.file).read_text(encoding="utf-8")
            return ChatTemplate(source=f"adapted: {entry.file}", text=text, sha256=digest_text(text))
    return ChatTemplate(source="shipped", text=None, sha256=digest_text(shipped) if shipped else None)


def _fits(entry: AdaptedTemplate, header: GgufHeader, shipped: str) -> bool:
    name = header.name.lower()
    return (
        header.architecture == entry.architecture
        and all(word in name for word in entry.name_holds)
        and entry.shipped_holds in shipped
    )


def _read(path: Path) -> str:
    try:
        raw = path.read_bytes()
        if len(raw) > MAX_TEMPLATE:
            raise BadInputError("the chat template is too long", wanted=f"at most {MAX_TEMPLATE:,} bytes")
        return raw.decode("utf-8")
    except FileNotFoundError as error:
        raise NotFoundError("the chat template does not exist", where=str(path)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(
            "the chat template cannot be read", wanted="a Jinja template, UTF-8", found=str(error), where=str(path)
        ) from error

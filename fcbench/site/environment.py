"""The template engine: every variable is escaped and made visible, and a missing one is an error.

MkDocs' own Jinja environment does not escape; nothing of a model ever passes through it or through Markdown.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from fcbench.core.canonical import digest_bytes
from fcbench.core.names import Digest
from fcbench.site import text
from fcbench.site.difference import told
from fcbench.site.keeping import KeptTemplates

HERE = Path(__file__).parent
_CODE = frozenset({".py", ".jinja", ".css", ".js"})
_NOT_XML = {0xFFFE: 0xFFFD, 0xFFFF: 0xFFFD}


def _finalize(value: object) -> object:
    """Last stop of every `{{ variable }}`, before escaping."""
    # Asked first, since it is so for most values and a page has hundreds.
    if type(value) is str:
        return value if value.isascii() and value.isprintable() else text.visible(value)
    if isinstance(value, str) and not isinstance(value, Markup):
        return text.visible(value)
    return value


@cache
def environment() -> Environment:
    """The one environment of the site, with its templates compiled on first use."""
    found = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # A template does not change during a build; looking at its file again and again takes time.
        auto_reload=False,
        bytecode_cache=compiled_templates(),
    )
    found.filters.update(
        cut=text.cut, short=text.short, pretty=text.pretty, seconds=text.seconds, moment=text.moment, words=_words
    )
    found.filters.update(told=told, clip=text.clip, excerpt=text.excerpt, size=text.size)
    found.globals.update(plural=text.plural)
    return found


def compiled_templates() -> KeptTemplates:
    """Compiled templates of the build under way, by our code and the versions of what compiles and configures them."""
    versions = [version("jinja2"), version("mkdocs"), version("mkdocs-material")]
    return KeptTemplates(digest_bytes("\0".join([code_digest(), *versions]).encode()))


def _words(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def render(template: str, **values: object) -> str:
    """Render one template.

    Raises:
        jinja2.UndefinedError: the template names a value that was not given; that is a fault of ours.
    """
    return environment().get_template(f"{template}.html.jinja").render(**values)


def render_xml(template: str, **values: object) -> bytes:
    """Render one XML file: escaped as HTML is, and without the two letters that XML forbids beyond control ones.

    Raises:
        jinja2.UndefinedError: the template names a value that was not given; that is a fault of ours.
    """
    return environment().get_template(f"{template}.xml.jinja").render(**values).translate(_NOT_XML).encode()


@cache
def code_digest() -> Digest:
    """Digest over the code of fcbench with its templates and assets: when any changes, every page is rendered anew.

    All of it and not this package alone, since what a page says comes from the evaluator and the aggregate floor too.
    """
    return digest_of_code(HERE.parent)


def digest_of_code(folder: Path) -> Digest:
    """Digest over the names and bytes of all modules, templates, style sheets and scripts below a folder."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in _CODE and path.is_file())
    named = (f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes() for path in files)
    return digest_bytes(b"\0".join(named))


def escape_title(title: str) -> str:
    """A page title, escaped for the shell."""
    return str(Markup.escape(text.visible(title)))

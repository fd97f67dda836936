"""The page itself: sections put into the template, with its styles and scripts inside.

Everything goes through a template that escapes it. The page may run its own scripts alone, whose
hashes it names, and load nothing: a browser keeps it so, whatever a user's files contain.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib import resources

from markupsafe import Markup

from syncfabric.sim.report.blocks import Section

__all__ = ["page"]

FOLDER = resources.files("syncfabric.sim.report") / "parts"
SCRIPTS = ("tables.js", "hover.js", "player.js")


def page(title: str, sections: Sequence[Section]) -> str:
    """Return a whole HTML page."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_read),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = Markup("\n".join(map(_read, SCRIPTS)))
    digest = b64encode(sha256(script.encode()).digest()).decode()
    template = environment.get_template("page.html")
    style = Markup(_read("page.css"))
    text = template.render(
        title=title, sections=sections, style=style, script=script, digest=digest
    )
    # A name on the command line need not be UTF-8.
    return text.encode(errors="replace").decode()


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")

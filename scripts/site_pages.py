"""What the site has beside docs/: a page that plays a barrier, and the changelog.

A hook of MkDocs (``hooks`` in ``mkdocs.yml``).
"""

import re
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from syncfabric.sim.report.write import write_report

ROOT = Path(__file__).parents[1]
_OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./([^)#]+)(?:#[^)]*)?\)")
_MARK = re.compile(r"^( *```\w+) \w+$", re.M)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "barrier.html")
        write_report(["fig1"], page, title="A barrier on an 8x8 mesh")
        files.append(File.generated(config, "barrier.html", content=page.read_text("utf-8")))
    text = (ROOT / "CHANGELOG.md").read_text("utf-8").replace("](docs/", "](")
    text = f"---\nsearch:\n  exclude: true\n---\n{text}"
    files.append(File.generated(config, "changelog.md", content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Name files of the repository instead of linking to them; drop the marks of fences."""
    markdown = _MARK.sub(r"\1", markdown)
    return _OUTSIDE.sub(r"\1 (`\2`)", markdown)

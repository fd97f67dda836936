"""docs/schedules-chunks.md names all that there is, and its example runs."""

import contextlib
import io
import re
from pathlib import Path

from syncfabric.models.collectives.chunks.files import _File
from syncfabric.models.collectives.chunks.schedule import CHUNKED
from syncfabric.models.collectives.chunks.search import MOST_SENDS
from syncfabric.models.collectives.methods import searches

PAGE = (Path(__file__).parents[4] / "docs" / "schedules-chunks.md").read_text(encoding="utf-8")


def names(heading: str) -> set[str]:
    text = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def test_all_names_are_there() -> None:
    listed = PAGE.split("\n## Collectives\n\n")[1].partition(", as in")[0]
    assert set(re.findall(r"`([^`]+)`", listed)) == set(CHUNKED)
    assert names("Methods") == {*searches(in_chunks=True)} - {"auto"}
    assert names("The file") == set(_File.__dataclass_fields__)
    assert f"{MOST_SENDS:,} sends" in PAGE


def test_the_example_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    with contextlib.redirect_stdout(out := io.StringIO()):
        exec(compile(code, "page", "exec"), {})
    assert re.fullmatch(r"exact 6 1\.01\d+\n", out.getvalue())

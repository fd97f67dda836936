"""``syncfabric report``."""

from dataclasses import replace
from pathlib import Path

import pytest

from syncfabric import Network
from tests.cli.conftest import Call


def test_a_page_is_written(call: Call, here: Path) -> None:
    result = call("report", "mesh-2x2", "-o", "new/page.html", "--title", "Mine", "--episodes", 2)
    assert result.exit_code == 0
    assert result.stdout.startswith("wrote new/page.html (")
    assert "<h1>Mine</h1>" in (here / "new/page.html").read_text()


def test_a_run_that_is_wrong_is_drawn_and_reported(
    call: Call, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = Network.load("mesh-2x2").run(sim="model", episodes=1)
    wrong = replace(result, verdict="hang", reason="nothing moves any more")
    monkeypatch.setattr(Network, "perform", lambda *_, **__: wrong)
    done = call("report", "mesh-2x2", "-o", "page.html")
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1] == "mesh-2x2: hang: nothing moves any more"
    assert "nothing moves any more" in (here / "page.html").read_text()

"""``syncfabric cache``."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call


def test_shown_and_cleared(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(folder))
    (folder / "results").mkdir(parents=True)
    (folder / "results" / "load.jsonl").write_bytes(b"x" * 1_500_000)
    shown = call("cache")
    assert shown.exit_code == 0
    assert shown.stdout.startswith(f"{folder}\n")
    (line,) = (line for line in shown.stdout.splitlines() if line.startswith("results"))
    assert line.split()[-3:] == ["1", "1.5", "200.0"]
    cleared = call("cache", "--clear", "--json")
    assert cleared.stderr == "removed 1.5 MB\n"
    assert json.loads(cleared.stdout)["bytes"] == 0

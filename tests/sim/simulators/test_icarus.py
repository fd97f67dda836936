"""Icarus Verilog, where it is not installed."""

import pytest

from syncfabric.models.errors import ToolError
from syncfabric.sim.simulators.icarus import Icarus


def test_missing_icarus_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    message = r"^Icarus Verilog is not on PATH; install it with: apt-get install iverilog$"
    with pytest.raises(ToolError, match=message):
        Icarus.find()

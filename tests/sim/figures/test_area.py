"""Area and clock beside targets and peers; what synthesis says is a stand-in."""

from typing import Any

import pytest

from syncfabric.cli.settings import keys
from syncfabric.fpga.blocks import BLOCKS, block_network
from syncfabric.sim.figures import area, area_parts

Asked = list[tuple[str, ...]]


def stand_in(monkeypatch: pytest.MonkeyPatch, module: Any, **clock: float) -> Asked:
    """Let every register cost 100 LUT4, and every option but these 7 more; note what is asked."""
    asked: Asked = []

    def synthesized(design: str, *options: str, device: str = "") -> dict[str, Any]:
        asked.append((design, *options))
        given = dict(word.split("=") for word in options if "=" in word)
        registers = int(given.pop("barrier_registers", "4"))
        lut4 = 900 if design.endswith("plain") else 1100 + 100 * registers + 7 * len(given)
        mhz = clock.get(design.replace("-", "_"), 110.0)
        return {
            "lut4": lut4,
            "ff": lut4 // 10,
            "fmax_mhz": {"min": mhz - 1, "median": mhz, "max": mhz + 1},
        }

    monkeypatch.setattr(module, "synthesized", synthesized)
    return asked


def test_area_and_clock_are_both_to_be_met(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = stand_in(monkeypatch, area, mesh_router=90.0, mesh_router_data=79.9)
    rows = {row.figure: row for row in area.area()}
    assert rows["mesh-router-plain"].measured == "900, 90, 109 / 110 / 111"
    assert rows["mesh-router-plain"].met
    peers = rows["mesh-router-plain"].peers.splitlines()
    assert "bsg wormhole router, 32 bits: 932 LUT4, 71 FF, 87 MHz" in peers
    assert rows["mesh-router-plain --fast"].met is False  # 110 MHz are too few
    assert rows["mesh-router"].met
    assert rows["mesh-router-data"].met is False
    assert rows["static-switch --fast --delay 2500"].met is False  # 1,500 LUT4 are too many
    assert rows["mesh-router-shipped"].met is None
    assert {design for design, *_ in asked} <= BLOCKS.keys()


def test_parts_are_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = stand_in(monkeypatch, area_parts)
    rows = {row.figure: row.measured for row in area_parts.area_parts()}
    assert rows["router of packets, no barriers"] == "900, 90"
    assert rows["messages: channels, config port, 1 register"] == "1,200, 120 (plain +300, +30)"
    assert rows["messages: a register of 16"] == "+100, +10"
    assert rows["messages: all but its registers"] == "+200, +20"
    assert rows["wires: 4 slots and parity"] == "1,507, 150 (+7, +0)"
    for block, *options in asked:
        given = keys([word for word in options if "=" in word], "set")
        network = block_network(block, given)
        assert all(getattr(network, key) == value for key, value in given.items())


def test_missing_tools_are_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: str, **__: str) -> None:
        raise RuntimeError("mesh-router: error: yosys is not on PATH")

    for module, section in (
        (area, area.area),
        (area_parts, area_parts.area_parts),
    ):
        monkeypatch.setattr(module, "synthesized", missing)
        (row,) = section()
        assert row.measured.endswith("yosys is not on PATH")
        assert row.met is None

"""Area and clock beside targets and peers; what synthesis says is a stand-in."""

from typing import Any

import pytest

from syncfabric.cli.options import keys
from syncfabric.fpga.blocks import BLOCKS, block_network
from syncfabric.sim.experiments.bench import area
from tests.sim.experiments.bench.conftest import met, rows_of

Asked = list[tuple[str, ...]]


def stand_in(monkeypatch: pytest.MonkeyPatch, **clock: float) -> Asked:
    """Let every group cost 10 LUT4, and every option but these 7 more; note what is asked."""
    asked: Asked = []

    def synthesized(design: str, *options: str, device: str = "") -> dict[str, Any]:
        asked.append((design, *options))
        given = dict(word.split("=") for word in options if "=" in word)
        held = int(given.pop("groups", 0) or given.pop("wires", 16))
        lut4 = 846 if design == "router-xy" else 1000 + 10 * held + 7 * len(given)
        mhz = clock.get(design.replace("-", "_"), 115.0)
        return {
            "lut4": lut4,
            "ff": lut4 // 10,
            "fmax_mhz": {"min": mhz - 1, "median": mhz, "max": mhz + 1},
        }

    monkeypatch.setattr(area, "synthesized", synthesized)
    return asked


def test_area_and_clock_are_both_to_be_met(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = stand_in(monkeypatch, router_engine_full=87.9)
    rows = {row.claim: row for row in rows_of(area.area)}
    assert rows["router-xy"].ours == "846, 84, 114 / 115 / 116"
    assert met(rows["router-xy"])
    peers = rows["router-xy"].note.splitlines()
    assert "bsg wormhole router, 32 bits: 932 LUT4, 71 FF, 87 MHz" in peers
    assert met(rows["router-engine"])
    assert met(rows["router-engine-full"]) is False  # 87.9 MHz are too few
    assert met(rows["static-switch --fast --delay 2500"]) is False  # 1,160 LUT4 are too many
    assert met(rows["router-engine-two"]) is None
    assert {design for design, *_ in asked} <= BLOCKS.keys()


def test_parts_are_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = stand_in(monkeypatch)
    rows = {row.claim: row.ours for row in rows_of(area.area_parts)}
    assert rows["router of packets, no barriers"] == "846, 84"
    assert rows["router-engine: 1 group"] == "1,010, 101 (plain +164, +17)"
    assert rows["router-engine: a group of 16"] == "+10, +1"
    assert rows["slots: 4 slots"] == "1,040, 104"
    assert rows["slots: parity"] == "1,167, 116 (+7, +0)"
    for block, *options in asked:
        given = keys([word for word in options if "=" in word], "set")
        network = block_network(block, given)
        assert all(getattr(network, key) == value for key, value in given.items())


def test_missing_tools_are_reported_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: str, **__: str) -> None:
        raise RuntimeError("router-xy: error: yosys is not on PATH")

    monkeypatch.setattr(area, "synthesized", missing)
    for section in (area.area, area.area_parts, area.generic_area, area.network_area):
        (row,) = rows_of(section)
        assert str(row.ours).endswith("yosys is not on PATH")
        assert met(row) is None

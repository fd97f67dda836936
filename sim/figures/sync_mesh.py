"""A whole mesh of barriers alone, placed and routed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from syncfabric.sim.figures.area import figures
from syncfabric.sim.figures.row import Row
from syncfabric.sim.figures.synthesized import synthesized

__all__ = ["NETWORK", "sync_mesh"]

DEVICE, SEEDS = "ecp5-85k", 1
"""A placement of such a size takes long."""
ROOM = 83_640
"""LUT4s of the device."""

NETWORK = """\
name = "sync-8x8"

[network]
kind = "mesh"
width = 8
height = 8
channels = 0
barrier_registers = 4
data_bits = 4
barrier_unit = "serial"
"""
"""Synchronization messages alone; counters and config port are in every router."""


def sync_mesh() -> Iterator[Row]:
    """An 8x8 mesh of synchronization messages alone on an ECP5-85k: LUT4, FF, MHz."""
    name = "8x8, 4 registers, 4 data bits, counters, config port"
    target = f"<= {ROOM:,} LUT4"
    with tempfile.TemporaryDirectory() as folder:
        network = Path(folder) / "sync-8x8.toml"
        network.write_text(NETWORK)
        try:
            found = synthesized(str(network), "--area", device=DEVICE)
            area, fits = f"{found['lut4']:,}, {found['ff']:,}", found["lut4"] <= ROOM
            yield Row(f"{name}: area", area, target, fits)
            if fits:
                found = synthesized(str(network), "--seeds", str(SEEDS), device=DEVICE)
                yield Row(f"{name}: placed and routed", figures(found))
        except RuntimeError as error:
            yield Row(name, f"not measured: {error}")

"""Area of whole networks of engines on an ECP5, part by part."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from syncfabric.sim.figures.row import Row
from syncfabric.sim.figures.synthesized import synthesized

__all__ = ["network_area"]

DEVICE, AIM = "ecp5-85k", 25_000
MESSAGES = {"kind": "mesh", "width": 8, "height": 8, "transport": "link", "channels": 0}
"""An 8x8 mesh of messages alone: engines of 16 groups on links of their own, and no packets."""

LESS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("all parts: 4 data bits, 16 registers a node", {}),
    ("no data", {"data_bits": 0}),
    ("4 registers a node", {"port_registers": 4}),
    ("no read-back of entries", {"read_back": False}),
    ("no counters", {"counters": False}),
    ("2 registers a node", {"port_registers": 2}),
)
"""What each row has less than the one before it."""


def network_area() -> Iterator[Row]:
    """Network area, 8x8 mesh of messages alone on an ECP5: LUT4, FF, LUT RAM."""
    keys = dict[str, Any](MESSAGES)
    for name, fewer in LESS:
        keys |= fewer
        lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "messages.toml"
            file.write_text("\n".join(['name = "messages"', "[network]", *lines, ""]))
            try:
                found = synthesized(str(file), "--area", device=DEVICE)
            except RuntimeError as error:
                yield Row(name, f"not measured: {error}")
                return
        measured = ", ".join(f"{found[part]:,}" for part in ("lut4", "ff", "distributed_ram"))
        last = name == LESS[-1][0]
        target = f"<= {AIM:,} LUT4" if last else ""
        yield Row(name, measured, target, found["lut4"] <= AIM if last else None)

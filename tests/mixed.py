"""A designer's own operator, of 64 bits: operands and functions all count, none like another."""

from pathlib import Path

from syncfabric.models.layout.offload import Offload

UNIT = Path(__file__).parent / "data" / "offload"
"""The folder of its files."""


def mixed(latency: int = 3) -> Offload:
    """Return the operator; its Verilog takes 3 cycles."""
    files = ("mixed.v",)
    unit = Offload(module="mixed", files=files, model="mixed.py:combine", latency=latency)
    return unit.found_in(UNIT)

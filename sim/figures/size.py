"""Verilog and plans of large networks: seconds, and how they grow."""

import time
from collections.abc import Iterator

from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.assemble.network import verilog
from syncfabric.sim.figures.row import Row

__all__ = ["planning", "verilog_size"]


def verilog_size() -> Iterator[Row]:
    """Verilog of whole networks."""
    sizes: dict[int, int] = {}
    for side in (4, 8, 16, 32, 64):
        network = MeshSpec(kind="mesh", width=side, height=side)
        begin = time.perf_counter()
        sizes[side] = len(verilog(network, "mesh"))
        seconds = time.perf_counter() - begin
        limit = side == 32
        yield Row(
            f"{side}x{side}: {sizes[side] / 1e6:.2f} MB",
            f"{seconds:.1f} s",
            "< 15 s" if limit else "",
            seconds < 15 if limit else None,
        )
    growth = (sizes[32] - sizes[16]) / (sizes[16] - sizes[8])
    yield Row("growth 16x16 to 32x32 over 8x8 to 16x16", f"{growth:.2f}", "<= 4.2", growth <= 4.2)


def planning() -> Iterator[Row]:
    """Planning all members of a mesh."""
    for side in (64, 256, 1024):
        network = MeshSpec(kind="mesh", width=side, height=side, flit_bits=64)
        members = tuple(network.mesh.nodes)
        spec = NetworkSpec(
            name="figure", network=network, groups=(GroupSpec(id=1, members=members),)
        )
        begin = time.perf_counter()
        make_plan(spec)
        seconds = time.perf_counter() - begin
        limit = side == 1024
        yield Row(
            f"{side}x{side}, {side * side:,} members",
            f"{seconds:.2f} s",
            "< 10 s" if limit else "",
            seconds < 10 if limit else None,
        )

# amaranth: UnusedElaboratable=no
"""Guards of links without registers, to node interfaces, beside others that have them."""

from typing import Any

import pytest
from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from syncfabric.models.layout.shape import NodeShape
from syncfabric.rtl.planes.interface import NodeInterface
from syncfabric.rtl.planes.node import Node
from tests.rtl.support import simulate


@pytest.mark.parametrize("far", [0, 3])
def test_a_flit_that_is_lost_on_the_link_to_a_node(far: int) -> None:
    """The router's guard gives its credit back, if it knows that the link has no registers."""
    options: dict[str, Any] = {"buffer_flits": 2, "check_bits": 5, "link_registers": 3}
    keys = NodeShape(links=2, own=False, routing="table", routers=4, **options)
    m = Module()
    m.submodules.router = router = Node(keys)
    nodes: list[Any] = [NodeInterface(keys, 1) for _ in range(2)]
    m.d.comb += [router.number.eq(1), router.delays[0].eq(0), router.delays[1].eq(far)]
    flip = Signal()
    for p, node in enumerate(nodes):
        m.submodules[f"node_{p}"] = node
        wiring.connect(m, node.out_0, getattr(router, f"in_{p}"))
        for plane in ("packets", "messages"):
            out = getattr(getattr(router, f"out_{p}"), plane)
            into = getattr(node.in_0, plane)
            for name, member in out.signature.members.items():
                here, there = getattr(out, name), getattr(into, name)
                if member.flow == Out:
                    wrong = flip if (p, plane, name) == (1, "packets", "check") else 0
                    m.d.comb += there.eq(here ^ wrong if name == "check" else here)
                else:
                    m.d.comb += here.eq(there)
    received: list[int] = []

    async def bench(ctx: Any) -> None:
        for count in range(6):
            for flips in (1, 0):
                ctx.set(nodes[0].inject.valid, 1)
                # Router 1 and port 1 of it.
                ctx.set(nodes[0].inject.flit.payload, 0b101 | count << 8)
                ctx.set(nodes[0].inject.flit.head, 1)
                ctx.set(nodes[0].inject.flit.tail, 1)
                ctx.set(flip, flips)
                await ctx.tick()
                ctx.set(nodes[0].inject.valid, 0)
                for _ in range(300):
                    if ctx.get(nodes[1].eject.valid):
                        received.append(ctx.get(nodes[1].eject.flit.payload) >> 8)
                        ctx.set(nodes[1].eject.credit, 1)
                    await ctx.tick()
                    ctx.set(nodes[1].eject.credit, 0)

    simulate(m, bench)
    assert received == ([0] if far else list(range(6)))

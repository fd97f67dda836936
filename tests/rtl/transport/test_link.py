"""Meshes of routers with engines: messages and packets on the same links, and beside each other."""

import random
from typing import Any, Literal

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.sim import Simulator

from syncfabric.models.layout.engine import COMMIT, IMAGE_ADDRESS, Code, Kind
from syncfabric.models.layout.shape import MeshNodeShape
from syncfabric.rtl.planes.node import collective

NODES = 3
EAST, WEST, LOCAL = 0, 2, 4


class Row:
    """Three nodes in a row: node 0 sends packets to node 2 as fast as it can."""

    def __init__(self, shape: MeshNodeShape) -> None:
        self.shape = shape
        self.nodes: list[Any] = [collective(shape) for _ in range(NODES)]
        self.module = m = Module()
        for x, node in enumerate(self.nodes):
            m.submodules[f"node_{x}"] = node
            m.d.comb += node.x.eq(x)
        for west, east in zip(self.nodes, self.nodes[1:], strict=False):
            wiring.connect(m, west.out_0, east.in_2)
            wiring.connect(m, east.out_2, west.in_0)
            if shape.message_links == "own":
                wiring.connect(m, west.sync_out_0, east.sync_in_2)
                wiring.connect(m, east.sync_out_2, west.sync_in_0)
        self.sent: list[int] = []
        self.received: list[int] = []
        self.links: list[tuple[int, int]] = []
        self.room = shape.buffer_flits
        self.owed = 0

    async def tick(self, ctx: Any, rng: random.Random, *, loaded: bool) -> None:
        """Advance a cycle; node 0 sends a packet if it may and there is load."""
        source, sink = self.nodes[0].in_4, self.nodes[2].out_4
        sends = loaded and self.room > 0
        payload = 2 | rng.getrandbits(16) << 8 if sends else 0
        if sends:
            self.sent.append(payload)
            self.room -= 1
        ctx.set(source.valid, sends)
        ctx.set(source.flit.as_value(), payload | 3 << 32 if sends else 0)
        ctx.set(sink.credit, self.owed > 0)
        self.owed -= self.owed > 0
        if ctx.get(sink.valid):
            self.received.append(ctx.get(sink.flit.payload))
            self.owed += 1
        self.room += ctx.get(source.credit)
        east = self.nodes[0].out_0
        message = getattr(east, "message_valid", None)
        seen = 0 if message is None else ctx.get(message)
        assert seen + ctx.get(east.valid) <= 1
        self.links.append((seen, ctx.get(east.valid)))
        await ctx.tick()

    async def request(self, ctx: Any, x: int, address: int, data: int) -> None:
        """Make a request of one engine, and see it obeyed."""
        config = self.nodes[x].sync_config
        fields = {"valid": 1, "write": 1, "address": address, "data": data}
        for name, value in fields.items():
            ctx.set(getattr(config, name), value)
        while not ctx.get(config.ready):
            await ctx.tick()
        assert not ctx.get(config.error)
        await ctx.tick()
        ctx.set(config.valid, 0)

    async def set_up(self, ctx: Any, entry: int) -> None:
        """Set a group of all nodes up, its root in the west."""
        layout = self.shape.layout
        for x in (2, 1, 0):
            children = 1 << 4 | (x < 2) << EAST
            names = {f"entry_{p}": entry for p in (EAST, WEST)}
            names |= {f"epoch_{p}": 1 for p in (EAST, WEST)}
            image = layout.image.pack({"children": children, "parent": (x > 0) << WEST, **names})
            for k in range(layout.image_words):
                await self.request(ctx, x, IMAGE_ADDRESS + k, image >> 32 * k & 0xFFFFFFFF)
            await self.request(ctx, x, 0, COMMIT.pack({"code": Code.SETUP, "entry": entry}))
        await self.request(ctx, 0, 0, COMMIT.pack({"code": Code.GO, "entry": entry, "epoch": 1}))


WIDE: dict[str, Any] = {"data_bits": 32, "operations": "bitwise"}
"""Messages are wider than flits."""


@pytest.mark.parametrize(
    ("links", "options"),
    [("own", {}), ("shared", {}), ("shared", WIDE)],
    ids=["own", "shared", "wide"],
)
def test_barriers_and_packets_at_the_same_time(
    links: Literal["own", "shared"], options: dict[str, Any]
) -> None:
    """Barriers of eight groups one after the other, and a stream of packets, all whole."""
    shape = MeshNodeShape(message_links=links, width=4, height=2, **options)
    words = [0x8000_0100 >> x & (1 << shape.data_bits) - 1 for x in range(NODES)]
    row = Row(shape)
    groups, rounds = range(8), 15
    rng = random.Random(8)
    passed = dict.fromkeys(groups, 0)
    shares: list[float] = []

    async def bench(ctx: Any) -> None:
        for entry in groups:
            await row.set_up(ctx, entry)
        for _ in range(30):
            await row.tick(ctx, rng, loaded=False)
        # A process arrives anew in a group as soon as it is released.
        due = [list(groups) for _ in range(NODES)]
        offered: list[int | None] = [None] * NODES
        while min(passed.values()) < rounds * NODES:
            for x, node in enumerate(row.nodes):
                # The root comes last of all at first, so that its answers leave in a row.
                early = x == 0 and len(row.links) < 100
                if offered[x] is None and due[x] and not early:
                    offered[x] = due[x].pop(0)
                arrive = node.sync_arrive
                ctx.set(arrive.valid, offered[x] is not None)
                ctx.set(arrive.message.entry, offered[x] or 0)
                ctx.set(arrive.message.epoch, 1)
                ctx.set(arrive.message.data, words[x])
                if offered[x] is not None and ctx.get(node.sync_arrive_ready):
                    offered[x] = None
            released = [
                (x, shape.layout.message.unpack(ctx.get(node.sync_release.message.as_value())))
                for x, node in enumerate(row.nodes)
                if ctx.get(node.sync_release.valid)
            ]
            await row.tick(ctx, rng, loaded=True)
            for x, message in released:
                assert message["kind"] == Kind.PLAIN
                assert message["data"] == words[0] | words[1] | words[2]
                passed[message["entry"]] += 1
                due[x].append(message["entry"])
            assert max(passed.values()) - min(passed.values()) <= 3 * NODES
        flits = sum(valid for _, valid in row.links)
        shares.append(flits / len(row.links))
        for _ in range(40):
            await row.tick(ctx, rng, loaded=False)

    simulator = Simulator(row.module)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert row.received == row.sent
    assert len(row.sent) > 100
    assert shares[0] >= 0.4
    if links == "shared":
        runs = [len(run) for run in "".join(str(seen) for seen, _ in row.links).split("0")]
        assert max(runs) == (1 if options else 3)

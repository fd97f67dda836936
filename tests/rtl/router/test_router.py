"""The router for any topology, by table and source, and with datelines."""

import random
from collections import deque
from typing import Any

import pytest
from amaranth import Module
from amaranth.sim import Simulator

from syncfabric.models.layout.flit import table_header
from syncfabric.rtl.router.router import Router
from syncfabric.rtl.router.routing import SourceRouting, TableRouting

FLIT_BITS = 16


def simulate(module: Module, cycle: Any, cycles: int) -> None:
    """Call ``cycle`` once a cycle, with the simulation's context."""
    simulator = Simulator(module)
    simulator.add_clock(1e-6)

    async def bench(ctx: Any) -> None:
        for now in range(cycles):
            cycle(ctx, now)
            await ctx.tick()

    simulator.add_testbench(bench)
    simulator.run()


def packet_flits(rng: random.Random, header: int) -> list[tuple[int, int, int]]:
    """Return a packet's flits: payload, head, tail."""
    length = rng.choice((1, 1, 2, 5))
    rest = rng.getrandbits(FLIT_BITS - 8) << 8
    payloads = [header | rest, *(rng.getrandbits(FLIT_BITS) for _ in range(length - 1))]
    return [(word, i == 0, i == length - 1) for i, word in enumerate(payloads)]


ROUTERS, NUMBER = 24, 9


def table_output(table: list[int], router: int, port: int, legal: tuple[int, ...]) -> int:
    """Return the output of a header; one that is not there, or not legal, is the last legal one."""
    output = port if router == NUMBER else table[router] if router < ROUTERS else -1
    return output if output in legal else legal[-1]


@pytest.mark.parametrize("register", [False, True])
@pytest.mark.parametrize("kind", ["table", "source"])
def test_packets_go_where_they_are_to(kind: str, register: bool) -> None:
    """Seven ports, no turning back: each packet is whole, in order, at its output."""
    ports = 7
    pairs = tuple(tuple(o for o in range(ports) if o != i) for i in range(ports))
    routing = TableRouting(pairs, ROUTERS) if kind == "table" else SourceRouting(pairs)
    router: Any = Router(
        routing, channels=1, buffer_flits=4, flit_bits=FLIT_BITS, output_register=register
    )
    m = Module()
    m.submodules.router = router
    rng = random.Random(ports)
    table = [rng.randrange(ports + 1) for _ in range(ROUTERS)]
    waiting: list[deque[Any]] = [deque() for _ in range(ports)]
    room = [4] * ports
    due: dict[tuple[int, int], deque[list[int]]] = {}
    open_: dict[int, list[int]] = {}
    credits: list[deque[int]] = [deque() for _ in range(ports)]
    counts = {"sent": 0, "received": 0}
    header = table_header(ROUTERS, ports)
    seen = set()

    def begin(port: int) -> None:
        """Let a packet wait at an input; its highest bits say where it comes from."""
        flits = packet_flits(rng, 0)
        if kind == "table":
            fields = {
                "router": rng.choice((NUMBER, rng.randrange(32))),
                "port": rng.randrange(8),
                "reply": rng.randrange(2),
            }
            output = table_output(table, fields["router"], fields["port"], pairs[port])
            seen.add((fields["router"], fields["port"] if fields["router"] == NUMBER else 0))
            flits[0] = (port << 12 | header.pack(fields), *flits[0][1:])
        else:
            output = rng.choice(pairs[port])
            flits[0] = (port << 12 | rng.getrandbits(6) << 3 | output, *flits[0][1:])
        waiting[port].extend(flits)
        words = [flit[0] for flit in flits]
        if kind == "source":
            words[0] >>= 3
        due.setdefault((port, output), deque()).append(words)
        counts["sent"] += 1

    def cycle(ctx: Any, now: int) -> None:
        if kind == "table" and not now:
            ctx.set(router.number, NUMBER)
            ctx.set(router.routes, sum(output << 3 * r for r, output in enumerate(table)))
        for port in range(ports):
            source, out = getattr(router, f"in_{port}"), getattr(router, f"out_{port}")
            if not waiting[port] and now < 500 and rng.random() < 0.5:
                begin(port)
            sends = bool(waiting[port]) and room[port] > 0
            flit = waiting[port].popleft() if sends else (0, 0, 0)
            room[port] -= sends
            ctx.set(source.valid, sends)
            for field, value in zip(("payload", "head", "tail"), flit, strict=True):
                ctx.set(getattr(source.flit, field), value)
            ctx.set(out.credit, bool(credits[port]) and credits[port][0] <= now)
            if credits[port] and credits[port][0] <= now:
                credits[port].popleft()
        for port in range(ports):
            source, out = getattr(router, f"in_{port}"), getattr(router, f"out_{port}")
            room[port] += ctx.get(source.credit)
            if not ctx.get(out.valid):
                assert ctx.get(out.flit.as_value()) == 0
                continue
            credits[port].append(now + rng.randrange(1, 4))
            payload = ctx.get(out.flit.payload)
            assert ctx.get(out.flit.head) == (port not in open_)
            open_.setdefault(port, []).append(payload)
            if ctx.get(out.flit.tail):
                words = open_.pop(port)
                origin = words[0] >> (12 if kind == "table" else 9)
                assert due[origin, port].popleft() == words
                counts["received"] += 1

    simulate(m, cycle, 900)
    assert counts["sent"] == counts["received"]
    assert counts["sent"] > 120
    if kind == "table":
        assert {(NUMBER, port) for port in range(8)} <= seen
        assert {router for router, _ in seen} >= {0, 23, 24, 31}


@pytest.mark.parametrize("ordinary", [2, 4])
def test_datelines(ordinary: int) -> None:
    """One packet at a time, and then some that want the same output channel: owners and credits."""
    ports, channels, places = 4, ordinary + 1, 2
    pairs = tuple(tuple(o for o in range(ports) if o != i) for i in range(ports))
    router: Any = Router(
        SourceRouting(pairs),
        channels=channels,
        buffer_flits=places,
        flit_bits=FLIT_BITS,
        dated=ordinary,
    )

    async def bench(ctx: Any) -> None:
        ctx.set(router.dateline, 0b0101)

        async def cycle(
            sent: dict[int, tuple[int, int, int, int]], credits: dict[int, int] | None = None
        ) -> dict[int, tuple[int, int]]:
            """Send a flit by inputs: channel, payload, head, tail; return those on outputs."""
            for port in range(ports):
                source = getattr(router, f"in_{port}")
                channel, payload, head, tail = sent.get(port, (channels, 0, 0, 0))
                ctx.set(source.valid, 1 << channel & (1 << channels) - 1)
                ctx.set(source.flit.payload, payload)
                ctx.set(source.flit.head, head)
                ctx.set(source.flit.tail, tail)
                ctx.set(getattr(router, f"out_{port}").credit, (credits or {}).get(port, 0))
            await ctx.tick()
            seen = {}
            for port in range(ports):
                out = getattr(router, f"out_{port}")
                if ctx.get(out.valid):
                    seen[port] = ctx.get(out.valid), ctx.get(out.flit.payload)
            return seen

        # Each channel by itself, through an output with a dateline and through one without.
        for output in (2, 3):
            for channel in range(channels):
                seen = await cycle({0: (channel, output | 4 << 2, 1, 1)})
                leaves = channel | 1 if output == 2 and channel < ordinary else channel
                assert seen == {output: (1 << leaves, 4)}
                assert await cycle({}, {output: 1 << leaves}) == {}
        # Channel 0 of input 0 has output channel (2, 1); channel 1 of inputs 0 and 1 waits for it.
        assert await cycle({0: (0, 2 | 1 << 2, 1, 0)}) == {2: (0b10, 1)}
        assert await cycle({0: (1, 2 | 2 << 2, 1, 1), 1: (1, 2 | 3 << 2, 1, 1)}) == {}
        assert await cycle({3: (0, 2 | 5 << 2, 1, 1)}) == {}
        assert await cycle({0: (0, 8, 0, 1)}) == {2: (0b10, 8)}
        # It is free, but has no credit: two were there.
        assert await cycle({}) == {}
        order = []
        for _ in range(3):
            seen = await cycle({}, {2: 0b10})
            seen = seen or await cycle({})
            assert seen[2][0] == 0b10
            order.append(seen[2][1])
        assert sorted(order) == [2, 3, 5]
        # The channel that it goes over from has all of its credits.
        assert await cycle({}) == {}

    simulator = Simulator(router)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()

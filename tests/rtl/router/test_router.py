"""The router for any topology: as the mesh's router in every cycle, and by table and source."""

import random
from collections import deque
from typing import Any

import pytest
from amaranth import Module
from amaranth.sim import Simulator

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.mesh.packets import PORT_NAMES, PacketRouter
from syncfabric.rtl.router.router import Router
from syncfabric.rtl.router.routing import SourceRouting, TableRouting, XyRouting

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


@pytest.mark.parametrize(("channels", "places"), [(1, 4), (2, 1), (3, 8)])
def test_mesh_router_in_every_cycle(channels: int, places: int) -> None:
    """Both routers get the same flits and credits; all that they show is compared."""
    spec = MeshSpec(
        kind="mesh",
        width=4,
        height=4,
        data_bits=0,
        sync="wires",
        channels=channels,
        buffer_flits=places,
        flit_bits=FLIT_BITS,
    )
    old = PacketRouter(spec)
    new = Router(XyRouting(2, 2), channels=channels, buffer_flits=places, flit_bits=FLIT_BITS)
    m = Module()
    m.submodules += [old, new]
    rng = random.Random(places)
    x, y = 1, 2
    waiting: dict[tuple[int, int], deque[Any]] = {
        (port, c): deque() for port in range(5) for c in range(channels)
    }
    room = dict.fromkeys(waiting, places)
    owed = dict.fromkeys(waiting, 0)
    sent = 0

    def header(port: int) -> int:
        """Return a destination that X-Y routing brings to this input."""
        columns = {0: range(x + 1), 2: range(x, 4)}.get(port, [x] if port < 4 else range(4))
        rows = {1: range(y + 1), 3: range(y, 4)}.get(port, range(4))
        return rng.choice(columns) | rng.choice(rows) << 2

    def cycle(ctx: Any, now: int) -> None:
        nonlocal sent
        for router in (old, new):
            ctx.set(router.x, x)
            ctx.set(router.y, y)
        returned = {lane for lane, count in owed.items() if count and rng.random() < 0.7}
        for lane in returned:
            owed[lane] -= 1
        for port, name in enumerate(PORT_NAMES):
            ready = [c for c in range(channels) if waiting[port, c] and room[port, c]]
            valid, flit = 0, (0, 0, 0)
            for c in range(channels):
                if not waiting[port, c] and rng.random() < 0.3:
                    waiting[port, c].extend(packet_flits(rng, header(port)))
            if ready and rng.random() < 0.8:
                c = rng.choice(ready)
                valid, flit = 1 << c, waiting[port, c].popleft()
                room[port, c] -= 1
            credits = sum(1 << c for o, c in returned if o == port)
            for source, out in (
                (getattr(old, f"{name}_in"), getattr(old, f"{name}_out")),
                (getattr(new, f"in_{port}"), getattr(new, f"out_{port}")),
            ):
                ctx.set(source.valid, valid)
                for field, value in zip(("payload", "head", "tail"), flit, strict=True):
                    ctx.set(getattr(source.flit, field), value)
                ctx.set(out.credit, credits)
        assert ctx.get(old.overflows) == ctx.get(new.overflows) == 0
        for port, name in enumerate(PORT_NAMES):
            shown = []
            for source, out in (
                (getattr(old, f"{name}_in"), getattr(old, f"{name}_out")),
                (getattr(new, f"in_{port}"), getattr(new, f"out_{port}")),
            ):
                shown.append(
                    (ctx.get(out.valid), ctx.get(out.flit.as_value()), ctx.get(source.credit))
                )
            assert shown[0] == shown[1], (now, name)
            for c in range(channels):
                if shown[0][0] >> c & 1:
                    owed[port, c] += 1
                    sent += 1
                room[port, c] += shown[0][2] >> c & 1

    simulate(m, cycle, 400)
    assert sent > 400


@pytest.mark.parametrize("register", [False, True])
@pytest.mark.parametrize("kind", ["table", "source"])
def test_packets_go_where_they_are_to(kind: str, register: bool) -> None:
    """Seven ports, no turning back: each packet is whole, in order, at its output."""
    ports, destinations = 7, 24
    pairs = tuple(tuple(o for o in range(ports) if o != i) for i in range(ports))
    routing = TableRouting(pairs, destinations) if kind == "table" else SourceRouting(pairs)
    router = Router(
        routing, channels=1, buffer_flits=4, flit_bits=FLIT_BITS, output_register=register
    )
    m = Module()
    m.submodules.router = router
    rng = random.Random(ports)
    table = [rng.randrange(ports) for _ in range(destinations)]
    waiting: list[deque[Any]] = [deque() for _ in range(ports)]
    room = [4] * ports
    due: dict[tuple[int, int], deque[list[int]]] = {}
    open_: dict[int, list[int]] = {}
    credits: list[deque[int]] = [deque() for _ in range(ports)]
    counts = {"sent": 0, "received": 0}

    def begin(port: int) -> None:
        """Let a packet wait at an input; its second byte says where it comes from."""
        output = rng.choice(pairs[port])
        if kind == "table":
            fitting = [d for d, o in enumerate(table) if o == output]
            if not fitting:
                return
            header = rng.choice(fitting)
        else:
            header = output
        flits = packet_flits(rng, 0)
        flits[0] = (port << 12 | header, *flits[0][1:])
        if kind == "source":
            flits[0] = (port << 12 | rng.getrandbits(6) << 3 | header, *flits[0][1:])
        waiting[port].extend(flits)
        words = [flit[0] for flit in flits]
        if kind == "source":
            words[0] >>= 3
        due.setdefault((port, output), deque()).append(words)
        counts["sent"] += 1

    def cycle(ctx: Any, now: int) -> None:
        if kind == "table":
            ctx.set(router.table_write, now < destinations)
            if now < destinations:
                ctx.set(router.table_destination, now)
                ctx.set(router.table_output, table[now])
                return
        for port in range(ports):
            source, out = getattr(router, f"in_{port}"), getattr(router, f"out_{port}")
            if not waiting[port] and now < 400 and rng.random() < 0.5:
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

    simulate(m, cycle, 600)
    assert counts["sent"] == counts["received"]
    assert counts["sent"] > 120

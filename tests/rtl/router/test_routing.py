"""Routings of the largest networks: every bit of an address counts, at every input."""

import random
from itertools import product
from typing import Any

import pytest
from amaranth import Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.grid import Grid
from syncfabric.rtl.router.routing import DimensionRouting, Routing, SourceRouting, TableRouting
from tests.rtl.support import SEED, evaluate

EAST, NORTH, WEST, SOUTH, LOCAL = range(5)
BITS = 10


class Routed(wiring.Component):
    """The route of a head at one input, and the payload that is stored."""

    def __init__(self, routing: Routing, port: int, bits: int) -> None:
        self._port, self._routing = port, routing
        flit = data.StructLayout({"payload": bits, "head": 1})
        members = {"flit": In(flit), "route": Out(len(routing.outputs)), "payload": Out(bits)}
        members["plain"] = In(1)
        super().__init__({**routing.members(), **members})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        here: Any = self
        route, payload = self._routing.place(m, here, self._port, here.flit, here.plain)
        m.d.comb += [here.route.eq(route), here.payload.eq(payload)]
        return m


def output(x: int, y: int, to_x: int, to_y: int) -> int:
    """Return the output by the rule: the column first, then the row."""
    if to_x != x:
        return EAST if to_x > x else WEST
    if to_y != y:
        return NORTH if to_y > y else SOUTH
    return LOCAL


def comes_by(port: int, output: int) -> bool:
    """Return whether a packet that leaves by ``output`` can have come by ``port``: see the rule."""
    if port == LOCAL:
        return True
    if port in (NORTH, SOUTH):
        return output not in (EAST, WEST, port)
    return output != port


@pytest.mark.parametrize("port", range(5))
def test_all_bits_of_a_coordinate_are_compared(port: int) -> None:
    places = [0, *(1 << bit for bit in range(BITS)), (1 << BITS) - 1]
    pairs = [(here, there) for here in places for there in places]
    cases = [(x, 5, to_x, 5) for x, to_x in pairs] + [(9, y, 9, to_y) for y, to_y in pairs]
    cases += [(x, 3, to_x, 8) for x, to_x in pairs]
    legal = [case for case in cases if comes_by(port, output(*case))]
    rows = [{"x": x, "y": y, "flit": to_x | to_y << BITS} for x, y, to_x, to_y in legal]
    routing = DimensionRouting(Grid((1 << BITS, 1 << BITS), pairs=True), 5)
    seen = [row["route"] for row in evaluate(Routed(routing, port, 2 * BITS + 1), rows)]
    assert seen == [1 << output(*case) for case in legal]


@pytest.mark.parametrize("side", [3, 4, 5, 8, 16])
def test_a_ring_is_gone_round_by_the_shorter_path(side: int) -> None:
    """By parity where both are as long; flits of set-up never pass the link that closes it."""
    up, down, process = range(3)
    rows, expected = [], []
    for here, there, plain in product(range(side), range(side), range(2)):
        above, below = (there - here) % side, (here - there) % side
        link = up if (there > here if plain else above < below + (here % 2 == 0)) else down
        rows.append({"x": here, "flit": there, "plain": plain})
        expected.append(1 << (link if here != there else process))
    bits = Grid((side,)).bits[0]
    part = Routed(DimensionRouting(Grid((side,), wraps=True), 3), process, bits + 1)
    assert [row["route"] for row in evaluate(part, rows)] == expected


def legal_outputs(rng: random.Random, ports: int) -> tuple[tuple[int, ...], ...]:
    """Draw an input's outputs: all with the last, all without it, one, and some."""
    some = sorted(rng.sample(range(ports), max(1, ports // 2)))
    every = tuple(range(ports))
    return (every, every[:-1], every[-1:], tuple(some), *[every] * (ports - 4))


@pytest.mark.parametrize(("ports", "routers"), [(4, 1), (5, 12), (16, 13), (17, 130)])
def test_a_table_has_every_router_and_every_port(ports: int, routers: int) -> None:
    """Ports are a switch's, and its sink's. Unknown routers and ports are the last output's."""
    rng = random.Random(f"{SEED} {ports}")
    outputs, number = legal_outputs(rng, ports), rng.randrange(routers)
    router_bits, bits = max(1, (routers - 1).bit_length()), (ports - 1).bit_length()
    routes = [rng.getrandbits(bits) for _ in range(routers)]
    constant = {"number": number, "routes": sum(r << bits * i for i, r in enumerate(routes))}
    heads = [(number, code) for code in range(1 << bits)]
    heads += [(to, rng.getrandbits(bits)) for to in range(1 << router_bits) if to != number]
    for port, legal in enumerate(outputs[:4]):
        rows = [{**constant, "flit": to | code << router_bits} for to, code in heads]
        part = Routed(TableRouting(outputs, routers), port, router_bits + bits + 1)
        for (to, code), seen in zip(heads, evaluate(part, rows), strict=True):
            out = code if to == number else routes[to] if to < routers else -1
            assert seen["route"] == 1 << (out if out in legal else legal[-1]), (port, to, code)


@pytest.mark.parametrize("ports", [4, 5, 16, 17])
def test_a_source_names_every_port(ports: int) -> None:
    """Each router takes its own code off the head, and nothing off what follows."""
    rng, bits, wide = random.Random(f"{SEED} {ports}"), (ports - 1).bit_length(), 16
    outputs = legal_outputs(rng, ports)
    flits = [(rng.getrandbits(wide - bits) << bits | code, h) for code in range(32) for h in (0, 1)]
    flits = [(word % (1 << wide), head) for word, head in flits]
    for port, legal in enumerate(outputs[:4]):
        part = Routed(SourceRouting(outputs), port, wide)
        rows = [{"flit": word | head << wide} for word, head in flits]
        for (word, head), seen in zip(flits, evaluate(part, rows), strict=True):
            code = word % (1 << bits)
            assert seen["payload"] == (word >> bits if head else word)
            assert seen["route"] == 1 << (code if code in legal else legal[-1]), (port, word)

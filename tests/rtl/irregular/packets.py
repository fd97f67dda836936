"""Ordinary packets as section I2 has them: what becomes of their heads, and flits to try it on."""

import random
from typing import NamedTuple

from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["NOWHERE", "Arriving", "Head", "Stored", "decoded", "packet", "random_head"]

NOWHERE = -1


class Head(NamedTuple):
    """What becomes of a first flit: its output (``ports`` is the sink) and its payload."""

    output: int
    used_up: bool
    payload: int


def decoded(
    spec: IrregularSpec, number: int, table: tuple[int, ...], payload: int, *, tail: bool
) -> Head:
    """Return what becomes of a packet's first flit in the switch ``number``."""
    layout, sink = spec.layout, spec.ports
    if not payload & 1:
        header = layout.header.unpack(payload)
        if header["switch"] == number:
            code = header["port"]
        else:
            code = table[header["switch"]] if header["switch"] < spec.switches else sink
        return Head(min(code, sink), False, payload)
    route = layout.route.unpack(payload)
    ports = [route[f"port_{i}"] for i in range(layout.route_ports)]
    if route["count"] == 0 or ports[0] >= sink or (tail and route["count"] == 1):
        return Head(sink, False, payload)
    above = payload >> layout.route.width << layout.route.width
    moved = {f"port_{i}": port for i, port in enumerate([*ports[1:], 0])}
    gone = layout.route.pack({"by_route": 1, "count": route["count"] - 1, **moved})
    return Head(ports[0], route["count"] == 1, above | gone)


class Stored(NamedTuple):
    """A flit in a buffer, and its way out: an output, the sink or nowhere."""

    bits: int
    tail: bool
    output: int


class Arriving:
    """What becomes of the flits of one channel as they arrive.

    Parameters
    ----------
    spec : IrregularSpec
    number : int
        Of the switch.
    table : tuple of int
        Its row of the routing table, as port codes.
    """

    def __init__(self, spec: IrregularSpec, number: int, table: tuple[int, ...]) -> None:
        self.spec, self.number, self.table = spec, number, table
        self.output = 0
        self.inherited: int | None = None

    def store(self, bits: int) -> Stored:
        """Return a flit as it is stored."""
        layout = self.spec.layout.flit
        flit = layout.unpack(bits)
        tail = bool(flit["tail"])
        if self.inherited is not None:
            self.output, self.inherited = self.inherited, None
            return Stored(layout.pack({**flit, "head": 1}), tail, self.output)
        if not flit["head"]:
            return Stored(bits, tail, self.output)
        head = decoded(self.spec, self.number, self.table, flit["payload"], tail=tail)
        if head.used_up:
            self.inherited = head.output
            return Stored(0, True, NOWHERE)
        self.output = head.output
        return Stored(layout.pack({**flit, "payload": head.payload}), tail, self.output)


def random_head(rng: random.Random, spec: IrregularSpec) -> int:
    """Return a first flit's payload: any header, or a route of any length, good or bad."""
    layout, noise = spec.layout, rng.getrandbits(spec.flit_bits)
    if rng.random() < 0.4:
        return noise & ~1
    fields = layout.route.unpack(noise | 1) | {"count": rng.choice([0, 1, 1, 1, 2, 3, 15])}
    if rng.random() < 0.9:
        fields["port_0"] = rng.randrange(spec.ports)
    return noise >> layout.route.width << layout.route.width | layout.route.pack(fields)


def packet(rng: random.Random, spec: IrregularSpec) -> list[int]:
    """Return the flits of a packet of one to five, whose payloads all look like a first flit's.

    The flit behind one that is used up may even be marked as a head.
    """
    length = rng.randint(1, 5)
    flits, used_up = [], False
    for i in range(length):
        payload, tail = random_head(rng, spec), i == length - 1
        head = i == 0 or (i == 1 and used_up and rng.random() < 0.5)
        fields = {"payload": payload, "head": head, "tail": tail}
        flits.append(spec.layout.flit.pack(fields))
        used_up = decoded(spec, 0, (0,) * spec.switches, payload, tail=tail).used_up
    return flits

"""Ordinary packets for the benches of a router's ports, and the channels' contents as they are."""

import random
from dataclasses import dataclass
from functools import cache

from syncfabric.models.messages import MeshLayout
from syncfabric.models.networks.mesh import Mesh, Node, Port, Turn

__all__ = ["Flit", "destinations", "packet"]


@dataclass(frozen=True)
class Flit:
    """One flit as the router sees it: its bits, its place in the packet, its way on."""

    bits: int
    head: bool
    tail: bool
    output: int


@cache
def destinations(mesh: Mesh, here: Node, port: int, turn: Turn) -> tuple[Node, ...]:
    """Return where a message that comes in at ``here`` by ``port`` can be bound for."""
    found = []
    for there in mesh.nodes:
        if port == Port.LOCAL:
            found.append(there)
            continue
        # Somebody behind that port must have sent it over this link.
        behind = [source for source in mesh.nodes if _enters(mesh, source, there, turn, here, port)]
        if behind:
            found.append(there)
    return tuple(found)


def _enters(mesh: Mesh, source: Node, there: Node, turn: Turn, here: Node, port: int) -> bool:
    neighbour = mesh.neighbour(here, Port(port))
    return (neighbour, Port(port).opposite) in mesh.path(source, there, turn)


def packet(
    rng: random.Random, layout: MeshLayout, mesh: Mesh, here: Node, there: Node
) -> list[Flit]:
    """Return a packet of one to five flits with random payloads."""
    length = rng.randint(1, 5)
    output = int(mesh.first_port(here, there, Turn.X_FIRST))
    flits = []
    for i in range(length):
        payload = rng.getrandbits(layout.flit_bits)
        if i == 0:
            mask = (1 << layout.header.width) - 1
            payload = payload & ~mask | layout.header.pack({"x": there[0], "y": there[1]})
        head, tail = i == 0, i == length - 1
        bits = layout.flit.pack({"payload": payload, "head": head, "tail": tail})
        flits.append(Flit(bits, head, tail, output))
    return flits

"""Routing logic against the mesh's own geometry, for every place and destination."""

import random

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import MeshLayout
from syncfabric.models.networks.mesh import Mesh, Node, Port, Turn
from syncfabric.rtl.mesh.routing import HERE, legal_outputs, route
from syncfabric.rtl.messages import struct
from tests.rtl.mesh.walks import outputs_from
from tests.rtl.support import SEED, evaluate

ALL, MOST = Mesh(8, 4), 1024
"""A mesh of which every pair is taken, and the longest side that a mesh can have."""


class Router(wiring.Component):
    """Both routes to a header's destination."""

    def __init__(self, layout: MeshLayout) -> None:
        header = struct(layout.header)
        super().__init__(
            {
                "x": In(layout.x_bits),
                "y": In(layout.y_bits),
                "header": In(header),
                "x_first": Out(5),
                "y_first": Out(5),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += [
            self.x_first.eq(route(self.x, self.y, self.header, y_first=False)),
            self.y_first.eq(route(self.x, self.y, self.header, y_first=True)),
        ]
        return m


def check(mesh: Mesh, pairs: list[tuple[Node, Node]]) -> None:
    """See that both routes of each pair are the first ports of its paths."""
    layout = MeshLayout(width=mesh.width, height=mesh.height, flit_bits=32, data_bits=4)
    cases = [
        {"x": here[0], "y": here[1], "header": layout.header.pack({"x": there[0], "y": there[1]})}
        for here, there in pairs
    ]
    for (here, there), seen in zip(pairs, evaluate(Router(layout), cases), strict=True):
        assert seen == {
            "x_first": 1 << mesh.first_port(here, there, Turn.X_FIRST),
            "y_first": 1 << mesh.first_port(here, there, Turn.Y_FIRST),
        }, (here, there)


def test_every_route_is_the_first_port_of_the_path() -> None:
    check(ALL, [(here, there) for here in ALL.nodes for there in ALL.nodes])


@pytest.mark.parametrize("mesh", [Mesh(MOST, 3), Mesh(3, MOST)], ids=["wide", "high"])
def test_all_bits_of_a_coordinate_are_compared(mesh: Mesh) -> None:
    """Nodes that differ in one bit of a coordinate, and any others."""
    rng, pairs = random.Random(SEED), []
    for bit in range(10):
        for _ in range(8):
            x, y = rng.randrange(mesh.width), rng.randrange(mesh.height)
            other = (x ^ 1 << bit, y) if mesh.width == MOST else (x, y ^ 1 << bit)
            pairs += [((x, y), other), (other, (x, y)), ((x, y), mesh.node(rng.randrange(3072)))]
    check(mesh, pairs)


@pytest.mark.parametrize("turn", list(Turn))
@pytest.mark.parametrize("port", list(Port))
def test_legal_outputs_are_those_that_paths_take(port: Port, turn: Turn) -> None:
    legal = legal_outputs(port, y_first=turn == Turn.Y_FIRST)
    assert legal == outputs_from(port, turn)


def test_here_is_the_local_port() -> None:
    assert HERE == Port.LOCAL

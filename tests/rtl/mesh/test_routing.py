"""Routing logic against the mesh's own geometry, for every place and destination."""

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import MeshLayout
from syncfabric.models.networks.mesh import Mesh, Port, Turn
from syncfabric.rtl.mesh.routing import HERE, legal_outputs, route
from syncfabric.rtl.messages import struct
from tests.rtl.mesh.walks import outputs_from
from tests.rtl.support import evaluate

MESH = Mesh(8, 4)
LAYOUT = MeshLayout(width=8, height=4, flit_bits=32, data_bits=4)


class Router(wiring.Component):
    """Both routes to a header's destination."""

    def __init__(self) -> None:
        header = struct(LAYOUT.header)
        super().__init__(
            {
                "x": In(LAYOUT.x_bits),
                "y": In(LAYOUT.y_bits),
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


def test_every_route_is_the_first_port_of_the_path() -> None:
    pairs = [(here, there) for here in MESH.nodes for there in MESH.nodes]
    cases = [
        {"x": here[0], "y": here[1], "header": LAYOUT.header.pack({"x": there[0], "y": there[1]})}
        for here, there in pairs
    ]
    for (here, there), seen in zip(pairs, evaluate(Router(), cases), strict=True):
        assert seen == {
            "x_first": 1 << MESH.first_port(here, there, Turn.X_FIRST),
            "y_first": 1 << MESH.first_port(here, there, Turn.Y_FIRST),
        }, (here, there)


@pytest.mark.parametrize("turn", list(Turn))
@pytest.mark.parametrize("port", list(Port))
def test_legal_outputs_are_those_that_paths_take(port: Port, turn: Turn) -> None:
    legal = legal_outputs(port, y_first=turn == Turn.Y_FIRST)
    assert legal == outputs_from(port, turn)


def test_here_is_the_local_port() -> None:
    assert HERE == Port.LOCAL

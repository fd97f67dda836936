# amaranth: UnusedElaboratable=no
"""Parameters that components refuse, each with its message."""

import re
from collections.abc import Callable

import pytest

from syncfabric.models.layout.engine import EngineLayout
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.networks.kinds import MeshNodeShape
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.engine.node_port import NodePort
from syncfabric.rtl.engine.ports import MessageSignature
from syncfabric.rtl.engine.sources import Visits
from syncfabric.rtl.lifecycle.queue import WordQueue
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter, RoundRobinArbiter
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.planes.interface import NodeInterface
from syncfabric.rtl.planes.node import Node
from syncfabric.rtl.router.input_port import ChannelControl
from syncfabric.rtl.router.router import Router
from syncfabric.rtl.router.routing import SourceRouting
from syncfabric.rtl.static.buffer import Level
from syncfabric.rtl.traffic.source import PacketSource
from syncfabric.rtl.transport.config_chain import ConfigNode
from syncfabric.rtl.transport.link import LinkRegisters
from tests.sim.drive.networks import mesh

LAYOUT = EngineLayout(4, True, 8, 0, "none")
ROUTED = EngineLayout(4, True, 8, 0, "none", (2, 1))
LINKS = NodeShape(links=2, own=False, routing="table", routers=2, managers=2, groups=8)
WIRED = MeshNodeShape(width=2, height=1, wires=1, registers=0)


def router(channels: int, places: int) -> Router:
    routing = SourceRouting(((1,), (0,)))
    return Router(routing, channels=channels, buffer_flits=places, flit_bits=16)


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: LeastRecentArbiter(0), "LeastRecentArbiter needs at least 1 requester, not 0"),
    (lambda: RoundRobinArbiter(-1), "RoundRobinArbiter needs at least 1 requester, not -1"),
    (lambda: CreditCounter(0), "CreditCounter needs at least 1 place, not 0"),
    (lambda: ChannelControl(0, (0, 4), 5), "ChannelControl needs at least 1 place, not 0"),
    (lambda: WordQueue(3, 0), "WordQueue needs at least 1 place, not 0"),
    (lambda: Level(0), "Level needs at least 1 place, all or none taken, not 0"),
    (lambda: Visits(3), "Visits need a period of at least 4 cycles, not 3"),
    (lambda: NodePort(LAYOUT, 0), "NodePort needs 1 to 8 registers, not 0"),
    (lambda: NodePort(LAYOUT, 9), "NodePort needs 1 to 8 registers, not 9"),
    (lambda: Engine(LAYOUT, stages=5), "Engine of 8 groups needs stages 1..4, not 5"),
    (lambda: Engine(ROUTED, stages=2), "Engine of routed messages needs shared links"),
    (lambda: router(6, 4), "Router needs 1 to 5 channels, not 6"),
    (lambda: router(1, 41), "Router needs buffers of 1 to 40 flits, not 41"),
    *(
        (
            lambda n=n: LinkRegisters(MessageSignature(LAYOUT), n),
            f"LinkRegisters needs 0 to 15 registers, not {n}",
        )
        for n in (-1, 16)
    ),
    *(
        (lambda t=t: ConfigNode(t), f"ConfigNode needs targets out of 0..7, not {t}")
        for t in ((), (0, 8))
    ),
    *(
        (
            lambda n=n: PacketSource(mesh(4, 4), queue=n),
            f"PacketSource queue must be a power of two from 2, not {n}",
        )
        for n in (0, 1, 3, 100)
    ),
    (
        lambda: Node(MeshNodeShape(width=2, height=1, managers=2, groups=8), (1,)),
        "headers of 2 managers are needed, not of 1; a header each, as "
        "NetworkShape.manager_header gives them",
    ),
    (
        lambda: NodeInterface(LINKS, 1),
        "headers of 2 managers are needed, not of 0; a header each, as "
        "NetworkShape.manager_header gives them",
    ),
    (
        lambda: Node(WIRED),
        "Node needs a node port, registers of 1 and more, with own and wires",
    ),
]


@pytest.mark.parametrize(("make", "message"), REFUSED, ids=[said for _, said in REFUSED])
def test_it_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make()

"""What a node is built for, and what is on its pins and between its parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from syncfabric.models.golden.engine import Answer, Message, Outputs
from syncfabric.models.golden.engine.node_port import Arrival, NodePortOutputs
from syncfabric.models.golden.lifecycle.port import SetUpParameters
from syncfabric.models.golden.router import Flit, Routing
from syncfabric.models.golden.transport.config_chain import ChainRequest
from syncfabric.models.golden.transport.wires import Back, Forward, Sent
from syncfabric.models.layout.engine import EngineLayout
from syncfabric.models.layout.network import RouterWord
from syncfabric.models.layout.slots import SlotLayout

__all__ = ["Crossed", "Driven", "NodeInputs", "NodeOutputs", "NodeParameters", "Rest"]


@dataclass(frozen=True)
class NodeParameters:
    """What a node is built for.

    Attributes
    ----------
    number : int
        On the config chain.
    place : (int, int)
        Column and row, for routed messages.
    routing : callable or None
        Makes the router's routing; None: no router.
    registers : int
        R of the node port; 0: the engine's own port is shown.
    link_registers : int
        On each link.
    near : collection of int
        Ports whose links have no registers: those to node interfaces.
    datelines : collection of int
        Outputs at which packets change channels.
    set_up : SetUpParameters or None
        Set-up by managers: links have one channel more, and a router without ``own`` one port.
    slots : SlotLayout or None
        Slots of barrier wires; ``step`` leaves them out, a network takes them through a cycle.
    """

    layout: EngineLayout
    stages: int
    number: int = 0
    place: tuple[int, int] = (0, 0)
    transport: str = "own"
    routing: Callable[[], Routing] | None = None
    channels: int = 0
    buffer_flits: int = 4
    flit_bits: int = 16
    output_register: bool = False
    registers: int = 0
    watchdog: int = 0
    counters: bool = True
    read_back: bool = True
    check_bits: int = 0
    link_registers: int = 0
    near: Collection[int] = ()
    datelines: Collection[int] = ()
    set_up: SetUpParameters | None = None
    slots: SlotLayout | None = None

    @property
    def link_channels(self) -> int:
        """Channels of a link."""
        return self.channels + (self.set_up is not None)


class NodeInputs(NamedTuple):
    """Inputs of a node in a cycle: by port, from the chain's two sides, and of the process."""

    forward: Mapping[int, Forward] = {}
    back: Mapping[int, Back] = {}
    request: ChainRequest | None = None
    further: Answer | None = None
    arrivals: Mapping[int, Arrival] = {}
    arrive: Message | None = None
    reset: bool = False


class NodeOutputs(NamedTuple):
    """What a node drives in a cycle.

    ``engine`` has the process's signals with R = 0, and ``freed``; ``process`` those with R > 0.
    """

    forward: dict[int, Forward]
    back: dict[int, Back]
    passing: ChainRequest | None
    answer: Answer | None
    engine: Outputs
    process: NodePortOutputs | None


class Driven(NamedTuple):
    """What a node sends in a cycle, by port; it depends on the node's registers alone.

    Attributes
    ----------
    flits, messages : mapping of int to Flit or Sent
        On links.
    sends, leaving : mapping of int to Sent
        Messages that the engine sends, and those that the transport lets go.
    leaves : Flit or None
        What the router sends to its set-up port.
    """

    flits: Mapping[int, Flit]
    messages: Mapping[int, Sent]
    sends: Mapping[int, Sent]
    leaving: Mapping[int, Sent]
    leaves: Flit | None = None


class Crossed(NamedTuple):
    """What comes to a node in a cycle, behind its links' ends.

    ``credits`` are by port, a bit a channel, with those of messages above; ``events`` are those of
    links' ends.
    """

    flits: Mapping[int, Flit]
    messages: Mapping[int, Sent]
    credits: Sequence[tuple[int, int]]
    events: Sequence[RouterWord]


class Rest(NamedTuple):
    """What comes to a node's words and to its set-up in a cycle.

    Attributes
    ----------
    request, further : ChainRequest or None, Answer or None
        From the chain's two sides.
    events : sequence of RouterWord
        Counters of what happens.
    leaves : Flit or None
        What the router sends by the set-up port.
    into, inject : Flit or None
        What goes into the router by it, and the process's flit.
    """

    request: ChainRequest | None = None
    further: Answer | None = None
    events: Sequence[RouterWord] = ()
    leaves: Flit | None = None
    into: Flit | None = None
    inject: Flit | None = None

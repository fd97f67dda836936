"""Where set-up packets leave a router, and come into it (N3)."""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.memory import Answer, Freed
from syncfabric.models.golden.lifecycle.manager import Manager
from syncfabric.models.golden.lifecycle.sink import Replies, Sink
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.engine import COMMIT, Code, EngineLayout
from syncfabric.models.layout.setup import owners_of
from syncfabric.models.layout.words import EngineWord


class SetUpParameters(NamedTuple):
    """What the set-up of a router is built for.

    Attributes
    ----------
    headers : sequence of int
        Of replies, by manager; as many as there are managers.
    reply_bit : int
        Place of ``reply`` in a header.
    router : int
        The router's number.
    routers : int
        Of the network.
    manager : int
        The one at this node; negative: none.
    slots : int
        Of barrier wires.
    """

    headers: Sequence[int]
    reply_bit: int
    router: int
    routers: int
    manager: int = -1
    slots: int = 0


class PortEvents(NamedTuple):
    """What is counted in a cycle."""

    overflows: int
    unexpected: int


class SetUpPort:
    """A router's set-up buffer, its sink, its replies, and on meshes a manager.

    Parameters
    ----------
    parameters : SetUpParameters
    layout : EngineLayout
    channel : int
        V, that of set-up packets.
    buffer_flits : int
    hold : int
        Places for flits of the process.
    manager : Manager or None

    Attributes
    ----------
    freed : int
        Credits of the router's output that are high in this cycle: a bit a channel.
    tokens : int
        Credits of channel V at the router's input; the network adds those that come.
    """

    def __init__(
        self,
        parameters: SetUpParameters,
        layout: EngineLayout,
        channel: int,
        buffer_flits: int,
        hold: int,
        manager: Manager | None,
    ) -> None:
        headers = parameters.headers
        owners = owners_of(len(headers), layout.entries, parameters.slots)
        self.sink = Sink(owners, layout.image_words)
        self.replies = Replies(
            headers, owners, layout.entries + parameters.slots, parameters.router, channel
        )
        self.manager = manager
        self._reply = 1 << parameters.reply_bit
        self._channel, self._places = channel, buffer_flits
        self._hold, self._held = hold, deque[Flit]()
        self._buffer = deque[Flit]()
        self._to_manager = False  # the packet whose flits are at the front
        self._sender: Sink | Manager | None = None  # whose packet is begun
        self.freed, self.tokens = 0, buffer_flits
        # The engine's config port.
        self._asking: str | None = None
        self._refuses = self._refused = False
        self._foreign = False  # the staged words are not the chain's

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves without a flit or a request."""
        quiet = self.sink.is_idle and self.replies.is_idle
        quiet = quiet and (self.manager is None or self.manager.is_idle)
        still = self._buffer or self._held or self.freed
        return quiet and not (still or self._asking or self._refuses or self._refused)

    # The engine's config port (N4.7 and N4.8).

    def asks(self, chain: Request | None) -> Request | None:
        """Return what the engine is asked for in this cycle.

        Parameters
        ----------
        chain : Request or None
            The config chain's request.
        """
        if self._asking is None:
            if self.sink.request:
                self._asking = "sink"
                self.sink.accessed()
                self._foreign |= self.sink.request.address > 0
            elif chain and not self._refused and not self.sink.locks(self.replies.slots):
                self._begin(chain)
        if self._asking == "sink":
            return self.sink.request
        return chain if self._asking == "chain" else None

    def _begin(self, chain: Request) -> None:
        """Begin a request of the chain."""
        commits = (
            chain[:2] == (True, EngineWord.COMMIT)
            and COMMIT.unpack(chain.data)["code"] == Code.SETUP
        )
        if chain[:2] == (True, EngineWord.IMAGE):
            self._foreign = False
        if commits and self._foreign:
            self._refuses = True
        else:
            self._asking = "chain"

    def to_chain(self, answer: Answer | None) -> Answer | None:
        """Return the chain's answer in a cycle, of the engine's."""
        if self._refused:
            return Answer(True)
        return answer if self._asking == "chain" else None

    # The router's port.

    def drive(self, inject: Flit | None) -> Flit | None:
        """Return what goes into the router in this cycle.

        Parameters
        ----------
        inject : Flit or None
            The process's.
        """
        flit, _ = self._offered()
        if flit and self.tokens:
            return flit
        return self._held[0] if self._held else inject

    def _offered(self) -> tuple[Flit | None, Sink | Manager | None]:
        """Return the set-up flit that goes if there is a credit, and whose it is."""
        manager = self.manager
        if self._sender is None:
            if self.replies.offer:
                return self.replies.offer, self.sink
            return (manager.offer, manager) if manager else (None, None)
        if self._sender is manager and manager:
            return manager.offer, manager
        return self.replies.offer, self.sink

    def step(
        self,
        came: Flit | None,
        driven: Flit | None,
        inject: Flit | None,
        answer: Answer | None,
        freed: Freed | None,
        request: Request | None,
    ) -> PortEvents:
        """Go over a clock edge.

        Parameters
        ----------
        came : Flit or None
            What the router sends by this port, but for the process's.
        driven : Flit or None
            As of ``drive`` with this ``inject``.
        inject : Flit or None
            The process's flit.
        answer, freed : Answer or None, Freed or None
            The engine's in this cycle.
        request : Request or None
            To the manager.
        """
        overflows = unexpected = 0
        credit = 0
        full, hold_full = len(self._buffer) >= self._places, len(self._held) >= self._hold
        sunk, to_manager = self._front()
        if sunk or to_manager:
            credit = 1 << self._channel
        if came and came.channel != self._channel:
            unexpected += 1
            credit |= 1 << came.channel
        elif came and full:
            overflows += 1
        elif came:
            self._buffer.append(came)
        offered, sender = self._offered()
        goes = offered is not None and driven is offered
        if goes and offered:
            self.tokens -= 1
            self._sender = None if offered.tail else sender
        elif self._held and driven is self._held[0]:
            self._held.popleft()
        if inject and driven is not inject:
            if hold_full:
                overflows += 1
            else:
                self._held.append(inject)
        to_sink = answer if self._asking == "sink" else None
        reply, dropped = self.sink.step(sunk, to_sink, self.replies.slots)
        lost = self.replies.step(reply, freed, granted=goes and sender is self.sink)
        if self.manager:
            self.manager.step(request, to_manager, granted=goes and sender is self.manager)
        if answer:
            self._asking = None
        self._refused, self._refuses = self._refuses, False
        self.freed = credit
        return PortEvents(overflows, unexpected + dropped + lost)

    def _front(self) -> tuple[Flit | None, Flit | None]:
        """Let the front flit go; return the sink's, and the manager's."""
        if not self._buffer:
            return None, None
        front = self._buffer[0]
        to_manager = bool(front.payload & self._reply) if front.head else self._to_manager
        if not to_manager and not self.sink.listens:
            return None, None
        self._to_manager = to_manager
        self._buffer.popleft()
        return (None, front) if to_manager else (front, None)

"""A router of packets, R1 to R4, with datelines (N1.9), and its routings."""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeAlias, TypeVar

from syncfabric.models.networks.grid import Grid

Pairs: TypeAlias = Mapping[int, Sequence[int]]
"""By input, the outputs to which its flits may go, in rising order."""


class Routing(Protocol):
    """A routing; ``pairs`` are those that it allows."""

    pairs: Pairs

    def turns(self, port: int, output: int) -> bool:
        """Return whether a packet that goes from input to output goes on in an even channel."""

    def route(self, port: int, payload: int, plain: bool = False) -> tuple[int, int]:
        """Return a head flit's output, by its input, and its payload in the buffer.

        Those that are ``plain`` do not take links that close rings.
        """


class Dimension:
    """The dimensions in their order, in each straight on, then a node port.

    Parameters
    ----------
    grid : Grid
    place : sequence of int
        The router's coordinates.
    ports : int
        Of the router.
    own : bool
        The last port is the process's, and the header says no other.
    """

    def __init__(self, grid: Grid, place: Sequence[int], ports: int, *, own: bool = True) -> None:
        self._grid, self._place, self._own = grid, tuple(place), own
        self._axis = {p: axis for axis, pair in enumerate(grid.axes) for p in pair}
        self._ports, self._width = ports, sum(grid.bits) + (0 if own else (ports - 1).bit_length())
        self._known: dict[tuple[int, int, bool], int] = {}
        pairs: dict[int, list[int]] = {}
        for port in range(ports):
            first = self._axis.get(port, -1)
            pairs[port] = [
                o
                for o in range(ports)
                if self._axis.get(o, first) >= first
                and (o != port or (own and port not in self._axis))
            ]
        self.pairs: Pairs = pairs

    def leads_on(self, output: int) -> bool:
        """Return whether an output is a port of a dimension."""
        return output in self._axis

    def turns(self, port: int, output: int) -> bool:
        """Return whether a packet enters a dimension."""
        return output in self._axis and self._axis.get(port) != self._axis[output]

    def route(self, port: int, payload: int, plain: bool = False) -> tuple[int, int]:
        """Return a head flit's output, and its payload."""
        header = payload & (1 << self._width) - 1
        output = self._known.get((port, header, plain))
        if output is None:
            output = self._known[port, header, plain] = self._output(port, header, plain)
        return output, payload

    def _output(self, port: int, header: int, plain: bool) -> int:
        grid = self._grid
        for axis, (up, down) in enumerate(grid.axes):
            header, there = header >> grid.bits[axis], header & (1 << grid.bits[axis]) - 1
            here, side, ring = self._place[axis], grid.sides[axis], grid.rings[axis]
            mine = self._axis.get(port, -1)
            if axis < mine or there == here:
                continue
            if axis > mine:
                rises = _rises(here, there, side) if ring and not plain else there > here
                return up if rises else down
            if up != down:
                return up + down - port
        if self._own:
            return self._ports - 1
        return -1 if header in self._axis else header


def _rises(here: int, there: int, side: int) -> bool:
    """Return whether the shorter path round a ring goes up; of two as short by parity."""
    ahead = 2 * (there - here) + here % 2
    return 0 < ahead <= side or ahead <= -side


class Adaptive(Dimension):
    """Any of the dimensions in which a packet is not there yet, then a node port (R4).

    Its ``route`` is that of packets that may not choose.

    Parameters
    ----------
    grid, place, ports, own
        As of :class:`Dimension`.
    escapes : int
        Channels of packets that go by dimension order.
    """

    def __init__(
        self, grid: Grid, place: Sequence[int], ports: int, *, own: bool = True, escapes: int = 1
    ) -> None:
        super().__init__(grid, place, ports, own=own)
        self.escapes = escapes
        outputs = range(ports)
        self.pairs = {
            i: [o for o in outputs if o != i or (own and i == ports - 1)] for i in outputs
        }
        self._sets: dict[tuple[int, int], tuple[int, ...]] = {}

    def may_choose(self, port: int, c: int) -> bool:
        """Return whether packets of an ordinary channel of an input do."""
        return c >= self.escapes or port not in self._axis

    def choices(self, port: int, payload: int) -> Sequence[int]:
        """Return the minimal ports of a header, by rising dimension; none at its router."""
        header = payload & (1 << self._width) - 1
        known = self._sets.get((port, header))
        if known is None:
            found = self._minimal(port, header, plain=False)
            if not found and self._output(port, header, plain=False) not in self.pairs[port]:
                found = [o for o in self.pairs[port][-1:] if o in self._axis]
            known = self._sets[port, header] = tuple(found)
        return known

    def _minimal(self, port: int, header: int, *, plain: bool) -> list[int]:
        grid, found = self._grid, []
        for axis, (up, down) in enumerate(grid.axes):
            there = header & (1 << grid.bits[axis]) - 1
            header >>= grid.bits[axis]
            here, side = self._place[axis], grid.sides[axis]
            if there == here:
                continue
            if self._axis.get(port) == axis:
                found += [up + down - port] if up != down else []
            else:
                ring = grid.rings[axis] and not plain
                found.append(up if (_rises(here, there, side) if ring else there > here) else down)
        return found

    def _output(self, port: int, header: int, plain: bool) -> int:
        minimal = self._minimal(port, header, plain=plain)
        if minimal:
            return minimal[0]
        if self._own:
            return self._ports - 1
        node_port = header >> sum(self._grid.bits)
        return -1 if node_port in self._axis else node_port


class Table:
    """The header is the destination's router, then its port; elsewhere a table says the output.

    Parameters
    ----------
    ports : int
    pairs : Pairs
    number : int
        This router's.
    routes : sequence of int
        The output for each router.
    """

    def __init__(self, ports: int, pairs: Pairs, number: int, routes: Sequence[int]) -> None:
        self.pairs = pairs
        self._router_bits = max(1, (len(routes) - 1).bit_length())
        self._port_bits = max(1, (ports - 1).bit_length())
        self._number, self._routes = number, routes

    def turns(self, port: int, output: int) -> bool:
        """Return that packets keep their channel."""
        return False

    def route(self, port: int, payload: int, plain: bool = False) -> tuple[int, int]:
        """Return a head flit's output, and its payload; an output that there is not is -1."""
        router = payload & (1 << self._router_bits) - 1
        if router == self._number:
            return payload >> self._router_bits & (1 << self._port_bits) - 1, payload
        return self._routes[router] if router < len(self._routes) else -1, payload


class Source:
    """The header's lowest bits are the output, and are shifted out.

    Parameters
    ----------
    ports : int
    pairs : Pairs
    """

    def __init__(self, ports: int, pairs: Pairs) -> None:
        self.pairs = pairs
        self._bits = (ports - 1).bit_length()

    def turns(self, port: int, output: int) -> bool:
        """Return that packets keep their channel."""
        return False

    def route(self, port: int, payload: int, plain: bool = False) -> tuple[int, int]:
        """Return a head flit's output, and what is left of its payload."""
        return payload % (1 << self._bits), payload >> self._bits


M = TypeVar("M")
Channel: TypeAlias = tuple[int, int]
"""A port, and a channel of it."""

NONE = -1


@dataclass(slots=True, unsafe_hash=True)  # its parts are read at each hop
class Flit:
    """A flit on a link; ``cut`` is there with check bits alone, ``packet`` for observers alone."""

    channel: int
    payload: int
    head: bool
    tail: bool
    cut: bool = False
    packet: object = None


class Router(Generic[M]):
    """Cycle-exact model of ``rtl/router/``, for messages of type M on its links.

    A cycle is ``send``, then ``receive`` for each flit that comes, then its credits.

    Channel c of port p has number p * ``channels`` + c.

    Parameters
    ----------
    ports, channels, buffer_flits : int
    routing : Routing
    output_register : bool, optional
    datelines : collection of int, optional
        Outputs at which packets go on in channel c | 1, in a network that has some.
    ordinary : int, optional
        Channels to which datelines apply; all if it is 0.

    Attributes
    ----------
    freed : list of int
        Numbers of inputs' channels whose ``credit`` is high in this cycle.
    carries : collection of int
        Outputs by which words of streams leave in this cycle: the network sets it before ``send``.
    late : bool
        The last ``send`` has kept a flit back for such a word, or for a message.
    tokens : list of int
        Credits of each output channel, by number.
    """

    def __init__(
        self,
        ports: int,
        channels: int,
        buffer_flits: int,
        routing: Routing,
        *,
        output_register: bool = False,
        datelines: Collection[int] | None = None,
        ordinary: int = 0,
    ) -> None:
        self.routing, self.channels = routing, channels
        self._capacity, self.registered = buffer_flits, output_register
        self._datelines, self._dated = frozenset(datelines or ()), datelines is not None
        self._ordinary = ordinary or channels
        count = ports * channels
        self._ports = ports
        # With the output channel of those marked as heads.
        self._buffers = [deque[tuple[int, Flit]]() for _ in range(count)]
        self._occupied = set[int]()
        self._goal = [0] * count  # the output channel of the packet whose flit is first
        self._mine = [NONE] * count  # its input once its head has left: the output's owner
        self._owner = [NONE] * count
        self.tokens = [buffer_flits] * count
        # When each channel of an input, and each input of an output, has sent last.
        self._time = 0
        self._of_input = [c - channels for c in range(channels)] * ports
        self._of_output = [i - ports for i in range(ports)] * ports
        self.freed: list[Channel] = []  # inputs' channels whose credit is high in this cycle
        self.carries: Collection[int] = ()
        self.late = False
        self._pairs = [divmod(at, channels) for at in range(count)]
        self._port_of = [at // channels for at in range(count)]
        self._adaptive = routing if isinstance(routing, Adaptive) else None
        self._rechannels = self._dated or self._adaptive is not None
        # Of packets that have still to choose: the escape channel, and the others in their order.
        self._open: dict[int, tuple[int, list[int]]] = {}
        self._register: dict[int, Flit | M] = {}

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves without a flit or a message, and nothing is on a link."""
        return not (self._occupied or self.freed or self._register)

    def send(self, messages: Mapping[int, M] | None = None) -> dict[int, Flit | M]:
        """Let go what leaves in this cycle; return what is on the links in it, by output."""
        self.freed = freed = []
        self.late = False
        leave: dict[int, Flit | M] = {**messages} if messages else {}
        if self._occupied:
            self._time = time = self._time + 1
            goals, mine = self._goal, self._mine
            for at, (escape, others) in self._open.items():
                goals[at] = self._chosen(escape, others)
            for at in self._granted():
                goal, i = goals[at], self._port_of[at]
                o = self._port_of[goal]
                if o in leave or o in self.carries:
                    self.late = True
                    continue
                buffer = self._buffers[at]
                _, flit = buffer.popleft()
                if flit.head != (mine[at] == NONE):  # marked as it is not
                    flit = replace(flit, head=not flit.head)
                self._owner[goal] = mine[at] = NONE if flit.tail else i
                if self._open:
                    self._open.pop(at, None)
                if not buffer:
                    self._occupied.discard(at)
                elif flit.tail:
                    self._begin(at)
                self.tokens[goal] -= 1
                self._of_input[at] = self._of_output[o * self._ports + i] = time
                freed.append(self._pairs[at])
                if self._rechannels and flit.channel != goal % self.channels:
                    flit = replace(flit, channel=goal % self.channels)
                leave[o] = flit
        if self.registered:
            leave, self._register = self._register, leave
        return leave

    def _granted(self) -> Collection[int]:
        """Return the input channels that are granted, at most one of an input and an output."""
        goals, tokens, owner, mine = self._goal, self.tokens, self._owner, self._mine
        occupied = self._occupied
        if len(occupied) == 1:  # nothing to arbitrate
            (at,) = occupied
            goal = goals[at]
            return (at,) if tokens[goal] and owner[goal] == mine[at] else ()
        able = [at for at in occupied if tokens[goals[at]] and owner[goals[at]] == mine[at]]
        ports, port_of = self._ports, self._port_of
        of_input, of_output = self._of_input, self._of_output
        requests: dict[int, int] = {}  # by input
        for at in able:
            i = port_of[at]
            if i not in requests or of_input[at] < of_input[requests[i]]:
                requests[i] = at
        granted: dict[int, int] = {}  # by output
        for i, at in requests.items():
            o = port_of[goals[at]]
            first = granted.get(o)
            if first is None or of_output[o * ports + i] < of_output[o * ports + port_of[first]]:
                granted[o] = at
        return granted.values()

    def receive(self, port: int, flit: Flit) -> bool:
        """Put a flit that comes into its buffer, after ``send``; return whether there was room.

        A place that a flit leaves in this cycle is not free yet.
        """
        at = port * self.channels + flit.channel
        buffer = self._buffers[at]
        if (
            len(buffer) >= self._capacity - 1
            and len(buffer) + (self._pairs[at] in self.freed) >= self._capacity
        ):
            return False
        goal = NONE
        if flit.head:
            goal, payload = self._route(port, flit)
            if payload != flit.payload:
                flit = replace(flit, payload=payload)
        buffer.append((goal, flit))
        if len(buffer) == 1:
            self._occupied.add(at)
            if self._mine[at] == NONE:
                self._begin(at)
        return True

    def _begin(self, at: int) -> None:
        """Let a packet begin with the first flit of a buffer."""
        goal, flit = self._buffers[at][0]
        port, c = self._pairs[at]
        self._goal[at] = goal = goal if goal != NONE else self._route(port, flit)[0]
        choice = self._adaptive
        if choice and c < self._ordinary and choice.may_choose(port, c):
            outputs, adaptive = (
                choice.choices(port, flit.payload),
                range(choice.escapes, self._ordinary),
            )
            if outputs:
                self._open[at] = goal, [o * self.channels + c for o in outputs for c in adaptive]

    def _chosen(self, escape: int, others: Sequence[int]) -> int:
        """Return the output channel that a packet requests in this cycle (R4.5, R4.6)."""
        free = [goal for goal in others if self._owner[goal] == NONE and self.tokens[goal]]
        return max(free, key=self.tokens.__getitem__, default=escape)

    def _route(self, port: int, flit: Flit) -> tuple[int, int]:
        """Return the output channel of a flit that comes, and its payload as a head's."""
        c = flit.channel
        plain = self._dated and c >= self._ordinary
        output, payload = self.routing.route(port, flit.payload, plain)
        allowed = self.routing.pairs[port]
        if output not in allowed:
            output = allowed[-1]
        choice, ordinary = self._adaptive, c < self._ordinary
        if choice and ordinary:
            ordinary = choice.leads_on(output)
            c = 0 if ordinary and choice.may_choose(port, c) else c
        if self._dated and ordinary:
            if self.routing.turns(port, output):
                c &= ~1
            if output in self._datelines:
                c |= 1
        return output * self.channels + c, payload

    def held(self, at: Channel) -> int:
        """Return how many flits the buffer of an input's channel holds."""
        return len(self._buffers[at[0] * self.channels + at[1]])

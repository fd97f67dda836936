"""A router of packets, R1 to R3, with datelines (N1.9)."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from syncfabric.models.golden.router.routing import Routing

__all__ = ["Channel", "Flit", "Router", "RouterOutputs"]

M = TypeVar("M")
Channel: TypeAlias = tuple[int, int]
"""A port, and a channel of it."""

NONE = -1


class Flit(NamedTuple):
    """A flit on a link; ``cut`` is there with check bits alone, ``packet`` for observers alone."""

    channel: int
    payload: int
    head: bool
    tail: bool
    cut: bool = False
    packet: object = None


class RouterOutputs(NamedTuple, Generic[M]):
    """What a router drives in a cycle.

    Attributes
    ----------
    links : mapping of int to Flit or message
        By output.
    credits : set of Channel
        Inputs' channels whose ``credit`` is high.
    dropped : int
        Flits that are dropped in this cycle, each an OVERFLOW.
    """

    links: Mapping[int, Flit | M]
    credits: set[Channel]
    dropped: int


class Router(Generic[M]):
    """Cycle-exact model of ``rtl/router/``, for messages of type M on its links.

    Channel c of port p has number p * ``channels`` + c.

    Parameters
    ----------
    ports, channels, buffer_flits : int
    routing : Routing
    output_register : bool, optional
    datelines : collection of int, optional
        Outputs at which packets go on in channel c | 1.
    ordinary : int, optional
        Channels to which datelines apply; all if it is 0.

    Attributes
    ----------
    freed : list of int
        Numbers of inputs' channels whose ``credit`` is high in this cycle.
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
        datelines: Collection[int] = (),
        ordinary: int = 0,
    ) -> None:
        self.routing, self.channels = routing, channels
        self._room, self.registered = buffer_flits, output_register
        self._datelines, self._ordinary = frozenset(datelines), ordinary or channels
        count = ports * channels
        self._ports = ports
        # With the output channel of those marked as heads.
        self._buffers = [deque[tuple[int, Flit]]() for _ in range(count)]
        self._occupied = set[int]()
        self._goal = [0] * count  # the output channel of the packet whose flit is first
        self._begun = [False] * count  # its head has left
        self._owner = [NONE] * count
        self.tokens = [buffer_flits] * count
        # When each channel of an input, and each input of an output, has sent last.
        self._time = 0
        self._of_input = [c - channels for c in range(channels)] * ports
        self._of_output = [i - ports for i in range(ports)] * ports
        self.freed: list[int] = []
        self._register: Mapping[int, Flit | M] = {}

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves without a flit or a message, and nothing is on a link."""
        return not (self._occupied or self.freed or self._register)

    def leaving(self, messages: Collection[int] = ()) -> dict[int, int]:
        """Return by output the number of the input's channel whose flit leaves in this cycle.

        Parameters
        ----------
        messages : collection of int
            Outputs by which a message leaves.
        """
        channels, owner, tokens = self.channels, self._owner, self.tokens
        goals, begun = self._goal, self._begun
        if len(self._occupied) == 1:
            (at,) = self._occupied
            goal = goals[at]
            if tokens[goal] and owner[goal] == (at // channels if begun[at] else NONE):
                o = goal // channels
                return {} if o in messages else {o: at}
            return {}
        requests: dict[int, tuple[int, int]] = {}
        for at in self._occupied:
            goal, i = goals[at], at // channels
            if tokens[goal] and owner[goal] == (i if begun[at] else NONE):
                rival = requests.get(i)
                if rival is None or self._of_input[at] < self._of_input[rival[0]]:
                    requests[i] = at, goal // channels
        taken: dict[int, int] = {}
        for i, (at, o) in requests.items():
            if o in taken:
                first = o * self._ports
                if self._of_output[first + i] > self._of_output[first + taken[o] // channels]:
                    continue
            elif o in messages:
                continue
            taken[o] = at
        return taken

    def links(self, messages: Mapping[int, M]) -> Mapping[int, Flit | M]:
        """Return what is on the links in this cycle, by output.

        Parameters
        ----------
        messages : mapping of int to M
            What leaves by outputs in this cycle, before any flit.
        """
        if self.registered:
            return self._register
        leave: dict[int, Flit | M] = {**messages}
        for o, at in self.leaving(messages).items():
            flit = self._buffers[at][0][1]
            leave[o] = flit._replace(
                channel=self._goal[at] % self.channels, head=not self._begun[at]
            )
        return leave

    @property
    def shown(self) -> Mapping[int, Flit | M]:
        """What is in the output register."""
        return self._register

    @property
    def credits(self) -> set[Channel]:
        """Inputs' channels whose ``credit`` is high in this cycle."""
        return {divmod(at, self.channels) for at in self.freed}

    def step(
        self,
        inputs: Mapping[int, Flit],
        credits: Iterable[Channel] = (),
        messages: Mapping[int, M] | None = None,
    ) -> RouterOutputs[M]:
        """Go through a cycle.

        Parameters
        ----------
        inputs : mapping of int to Flit
            What comes, by input.
        credits : iterable of Channel
            Outputs' channels whose ``credit`` is high.
        messages : mapping of int to M, optional
            What leaves by outputs in this cycle, before any flit.
        """
        freed = self.credits
        full = [p for p, flit in inputs.items() if self.is_full((p, flit.channel))]
        links = self.send(messages)
        for p, flit in inputs.items():
            if p not in full:
                self.receive(p, flit)
        for o, c in credits:
            self.tokens[o * self.channels + c] += 1
        return RouterOutputs(links, freed, len(full))

    def send(self, messages: Mapping[int, M] | None = None) -> Mapping[int, Flit | M]:
        """Let go what leaves in this cycle; return what is on the links in it, by output."""
        channels, buffers = self.channels, self._buffers
        self.freed = freed = []
        leave: dict[int, Flit | M] = {**messages} if messages else {}
        if self._occupied:
            self._time = time = self._time + 1
            owner, tokens, ports = self._owner, self.tokens, self._ports
            goals, begun = self._goal, self._begun
            for o, at in self.leaving(leave).items():
                buffer, i, goal = buffers[at], at // channels, goals[at]
                _, flit = buffer.popleft()
                if flit[2] == begun[at]:  # marked as it is not
                    flit = flit._replace(head=not begun[at])
                goes_on = begun[at] = not flit[3]
                owner[goal] = i if goes_on else NONE
                if not buffer:
                    self._occupied.discard(at)
                elif not goes_on:
                    self._begin(at)
                tokens[goal] -= 1
                self._of_input[at] = self._of_output[o * ports + i] = time
                freed.append(at)
                if self._datelines:
                    flit = flit._replace(channel=goal % channels)
                leave[o] = flit
        if self.registered:
            leave, self._register = self._register, leave  # type: ignore[assignment]
        return leave

    def receive(self, port: int, flit: Flit) -> None:
        """Put a flit that comes into its buffer, after all that leaves has left."""
        at = port * self.channels + flit.channel
        goal = NONE
        if flit.head:
            goal, payload = self._route(port, flit)
            if payload != flit.payload:
                flit = flit._replace(payload=payload)
        buffer = self._buffers[at]
        buffer.append((goal, flit))
        if len(buffer) == 1:
            self._occupied.add(at)
            if not self._begun[at]:
                self._begin(at)

    def _begin(self, at: int) -> None:
        """Let a packet begin with the first flit of a buffer."""
        goal, flit = self._buffers[at][0]
        self._goal[at] = goal if goal != NONE else self._route(at // self.channels, flit)[0]

    def _route(self, port: int, flit: Flit) -> tuple[int, int]:
        """Return the output channel of a flit that comes, and its payload as a head's."""
        output, payload = self.routing.route(port, flit.payload)
        allowed = self.routing.pairs[port]
        if output not in allowed:
            output = allowed[-1]
        c = flit.channel
        if output in self._datelines and c < self._ordinary:
            c |= 1
        return output * self.channels + c, payload

    def is_full(self, at: Channel) -> bool:
        """Whether the buffer of an input's channel has no place."""
        return self.held(at) >= self._room

    def held(self, at: Channel) -> int:
        """Return how many flits the buffer of an input's channel holds."""
        return len(self._buffers[at[0] * self.channels + at[1]])

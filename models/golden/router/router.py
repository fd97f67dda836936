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
        self._buffers = [deque[tuple[int, Flit]]() for _ in range(count)]  # with output channels
        self._occupied = set[int]()
        self._goal = [0] * count  # the output channel of the packet that comes
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

    @property
    def is_empty(self) -> bool:
        """Whether no flit is here."""
        return not (self._occupied or self._register)

    def leaving(self, messages: Collection[int] = ()) -> dict[int, int]:
        """Return by output the number of the input's channel whose flit leaves in this cycle.

        Parameters
        ----------
        messages : collection of int
            Outputs by which a message leaves.
        """
        channels, owner, tokens, buffers = self.channels, self._owner, self.tokens, self._buffers
        requests: dict[int, tuple[int, int]] = {}
        for at in self._occupied:
            goal, flit = buffers[at][0]
            i = at // channels
            if tokens[goal] and owner[goal] == (NONE if flit.head else i):
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
        return {**self.fronts(self.leaving(messages)), **messages}

    def fronts(self, taken: Mapping[int, int]) -> dict[int, Flit]:
        """Return by output the flits that leave, in the channel in which they go on."""
        channels, leave = self.channels, {}
        for o, at in taken.items():
            goal, flit = self._buffers[at][0]
            c = goal % channels
            leave[o] = flit if c == flit.channel else flit._replace(channel=c)
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
        messages = messages or {}
        taken, freed = self.leaving(messages), self.credits
        leave: Mapping[int, Flit | M] = {**self.fronts(taken), **messages}
        links = self._register if self.registered else leave
        dropped = self.advance(taken, leave, inputs)
        for o, c in credits:
            self.tokens[o * self.channels + c] += 1
        return RouterOutputs(links, freed, dropped)

    def advance(
        self,
        taken: Mapping[int, int],
        leave: Mapping[int, Flit | M],
        inputs: Mapping[int, Flit],
    ) -> int:
        """Go over a clock edge, but for the credits that come; return how many flits are dropped.

        Parameters
        ----------
        taken : mapping of int to int
            As of ``leaving``.
        leave : mapping of int to Flit or M
            All that leaves, by output.
        inputs : mapping of int to Flit
            What comes, by input.
        """
        channels, buffers, dropped = self.channels, self._buffers, 0
        self._time = time = self._time + 1
        comes = []
        for p, flit in inputs.items():
            at = p * channels + flit.channel
            if len(buffers[at]) < self._room:
                comes.append((p, at, flit))
            else:
                dropped += 1
        self.freed = freed = []
        for o, at in taken.items():
            buffer, i = buffers[at], at // channels
            goal, flit = buffer.popleft()
            if not buffer:
                self._occupied.discard(at)
            self._owner[goal] = NONE if flit.tail else i
            self.tokens[goal] -= 1
            self._of_input[at] = self._of_output[o * self._ports + i] = time
            freed.append(at)
        for p, at, flit in comes:
            if flit.head:
                flit = self._look(p, at, flit)
            buffers[at].append((self._goal[at], flit))
            self._occupied.add(at)
        if self.registered:
            self._register = leave
        return dropped

    def is_full(self, at: Channel) -> bool:
        """Whether the buffer of an input's channel has no place."""
        return self.held(at) >= self._room

    def held(self, at: Channel) -> int:
        """Return how many flits the buffer of an input's channel holds."""
        return len(self._buffers[at[0] * self.channels + at[1]])

    def _look(self, port: int, at: int, flit: Flit) -> Flit:
        """Say where a head's packet goes; return the head as it is in the buffer."""
        output, payload = self.routing.route(port, flit.payload)
        allowed = self.routing.pairs[port]
        if output not in allowed:
            output = allowed[-1]
        c = flit.channel
        if output in self._datelines and c < self._ordinary:
            c |= 1
        self._goal[at] = output * self.channels + c
        return flit if payload == flit.payload else flit._replace(payload=payload)

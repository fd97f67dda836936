"""A router of packets, R1 to R3."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from syncfabric.models.golden.order import LeastRecentlySent
from syncfabric.models.golden.router.routing import Routing

__all__ = ["Channel", "Flit", "Router", "RouterOutputs"]

M = TypeVar("M")
Channel: TypeAlias = tuple[int, int]
"""A port, and a channel of it."""


class Flit(NamedTuple):
    """A flit on a link; ``cut`` is there with check bits alone."""

    channel: int
    payload: int
    head: bool
    tail: bool
    cut: bool = False


@dataclass(frozen=True)
class RouterOutputs(Generic[M]):
    """What a router drives in a cycle.

    Attributes
    ----------
    links : dict of int to Flit or message
        By output.
    credits : set of Channel
        Inputs' channels whose ``credit`` is high.
    dropped : int
        Flits that are dropped in this cycle, each an OVERFLOW.
    """

    links: dict[int, Flit | M]
    credits: set[Channel]
    dropped: int


class Router(Generic[M]):
    """Cycle-exact model of ``rtl/router/``, for messages of type M on its links.

    Parameters
    ----------
    ports, channels, buffer_flits : int
    routing : Routing
    output_register : bool, optional
    """

    def __init__(
        self,
        ports: int,
        channels: int,
        buffer_flits: int,
        routing: Routing,
        *,
        output_register: bool = False,
    ) -> None:
        self.routing = routing
        self._room, self._registered = buffer_flits, output_register
        inputs = [(i, c) for i in range(ports) for c in range(channels)]
        self._buffers = {at: deque[tuple[int, Flit]]() for at in inputs}  # output and flit
        self._output = dict.fromkeys(inputs, 0)  # of the packet that comes
        self._owner: dict[Channel, int] = {}
        self._tokens = dict.fromkeys(inputs, buffer_flits)
        self._of_input = [LeastRecentlySent(channels) for _ in range(ports)]
        self._of_output = [LeastRecentlySent(ports) for _ in range(ports)]
        self._freed: set[Channel] = set()
        self._register: dict[int, Flit | M] = {}

    def leaving(self, messages: Collection[int] = ()) -> dict[int, Channel]:
        """Return by output the input and channel whose flit leaves in this cycle.

        Parameters
        ----------
        messages : collection of int
            Outputs by which a message leaves.
        """
        offers: dict[int, dict[int, int]] = {}
        requests: dict[int, dict[int, int]] = {}
        for (i, c), buffer in self._buffers.items():
            if buffer:
                o, flit = buffer[0]
                owner = self._owner.get((o, c))
                if owner == (None if flit.head else i) and self._tokens[o, c]:
                    requests.setdefault(i, {})[c] = o
        for i, wanted in requests.items():
            c = self._of_input[i].first(wanted)
            offers.setdefault(wanted[c], {})[i] = c
        taken: dict[int, Channel] = {}
        for o, offered in offers.items():
            if o not in messages:
                i = self._of_output[o].first(offered)
                taken[o] = i, offered[i]
        return taken

    def links(self, messages: Mapping[int, M]) -> dict[int, Flit | M]:
        """Return what is on the links in this cycle, by output.

        Parameters
        ----------
        messages : mapping of int to M
            What leaves by outputs in this cycle, before any flit.
        """
        if self._registered:
            return dict(self._register)
        return {**self._fronts(self.leaving(messages)), **messages}

    def _fronts(self, taken: Mapping[int, Channel]) -> dict[int, Flit]:
        return {o: self._buffers[at][0][1] for o, at in taken.items()}

    @property
    def credits(self) -> set[Channel]:
        """Inputs' channels whose ``credit`` is high in this cycle."""
        return self._freed

    def step(
        self,
        inputs: Mapping[int, Flit],
        credits: Collection[Channel] = (),
        messages: Mapping[int, M] | None = None,
    ) -> RouterOutputs[M]:
        """Go through a cycle.

        Parameters
        ----------
        inputs : mapping of int to Flit
            What comes, by input.
        credits : collection of Channel
            Outputs' channels whose ``credit`` is high.
        messages : mapping of int to M, optional
            What leaves by outputs in this cycle, before any flit.
        """
        messages = messages or {}
        taken, freed = self.leaving(messages), self._freed
        leave: dict[int, Flit | M] = {**self._fronts(taken), **messages}
        links = self._register if self._registered else leave
        dropped = [p for p, flit in inputs.items() if self.is_full((p, flit.channel))]
        self._freed = set()
        for o, (i, c) in taken.items():
            _, flit = self._buffers[i, c].popleft()
            if flit.head:
                self._owner[o, c] = i
            if flit.tail:
                self._owner.pop((o, c), None)
            self._tokens[o, c] -= 1
            self._of_input[i].sent(c)
            self._of_output[o].sent(i)
            self._freed.add((i, c))
        for p, flit in inputs.items():
            if p not in dropped:
                self._receive(p, flit)
        for at in credits:
            self._tokens[at] += 1
        self._register = leave
        return RouterOutputs(links, freed, len(dropped))

    def is_full(self, at: Channel) -> bool:
        """Whether the buffer of an input's channel has no place."""
        return self.held(at) == self._room

    def held(self, at: Channel) -> int:
        """Return how many flits the buffer of an input's channel holds."""
        return len(self._buffers[at])

    def _receive(self, port: int, flit: Flit) -> None:
        at = port, flit.channel
        if flit.head:
            output, payload = self.routing.route(port, flit.payload)
            allowed = self.routing.pairs[port]
            self._output[at] = output if output in allowed else allowed[-1]
            flit = flit._replace(payload=payload)
        self._buffers[at].append((self._output[at], flit))

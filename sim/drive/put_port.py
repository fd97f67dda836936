"""How nodes' software sends packets: a flit a node and cycle into the node's source."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.assemble.player import Stimulus, StimulusKind

__all__ = ["Put", "PutPort"]

PAUSE = 0.3
"""Chance that the next flit comes a cycle later, where there are pauses."""


class Put(NamedTuple):
    """A flit that a node's software puts into its source."""

    cycle: int
    node: int
    channel: int
    head: bool
    tail: bool
    payload: int

    def stimulus(self) -> Stimulus:
        """Return the same for the player."""
        extra = self.channel | self.head << 4 | self.tail << 5
        return Stimulus(self.cycle, StimulusKind.PACKET, self.node, self.payload, extra)


class PutPort:
    """What nodes have still to put, in order; ``pauses`` between flits are drawn, if given."""

    def __init__(self, spec: MessageSpec, pauses: random.Random | None = None) -> None:
        self._spec, self._pauses = spec, pauses
        self._waiting: dict[int, deque[Put]] = {}

    @property
    def waits(self) -> bool:
        """Whether there is a flit to be put."""
        return bool(self._waiting)

    def send(self, node: int, payloads: Sequence[int], channel: int = 0) -> None:
        """Let a node send a packet, behind what it has to put already.

        Raises
        ------
        SpecError
            Its router would have to send it back to the node, and has no way for that.
        """
        self._refuse_own(node, payloads)
        last = len(payloads) - 1
        self._waiting.setdefault(node, deque()).extend(
            Put(-1, node, channel, place == 0, place == last, payload)
            for place, payload in enumerate(payloads)
        )

    def _refuse_own(self, node: int, payloads: Sequence[int]) -> None:
        """See that a router is not asked for the output that its input does not reach (N2.8)."""
        shape = self._spec.shape
        if not shape.interfaces or not payloads:
            return
        _, port = shape.nodes[node]
        header = self._spec.layout.header
        fields = header.unpack(payloads[0] & (1 << header.width) - 1)
        if shape.router.routing == "source":
            own = fields["port_0"] == port
        else:
            own = shape.node_of(payloads[0]) == node
        if own:
            switch, port = self._spec.topology.node(node)
            raise SpecError(
                f"packet of node {switch},{port}: it is for its sender, not for another node; "
                "routers do not send a packet back: keep it at the node"
            )

    def give(self, now: int) -> Iterator[Put]:
        """Yield what is put in a cycle."""
        for node, flits in list(self._waiting.items()):
            if self._pauses is not None and self._pauses.random() < PAUSE:
                continue
            yield flits.popleft()._replace(cycle=now)
            if not flits:
                del self._waiting[node]

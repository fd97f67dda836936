"""What routers send in a cycle: flits, messages on shared links, and credits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from syncfabric.models.golden.lifecycle import SetUpPort
from syncfabric.models.golden.planes.interface import NodeInterface
from syncfabric.models.golden.planes.node import Node
from syncfabric.models.golden.planes.processes import Processes
from syncfabric.models.golden.planes.wiring import Coming, Shown, Wiring
from syncfabric.models.golden.record import Observer
from syncfabric.models.golden.router import Flit
from syncfabric.models.golden.transport.wires import Sent
from syncfabric.models.layout.network import NetworkShape

__all__ = ["PacketMovement"]

Back: TypeAlias = tuple[int, tuple[list[int], int]]
"""The lane of a credit, and where the sender counts it."""


class PacketMovement:
    """The routers of a network whose links have no check bits.

    Parameters
    ----------
    As of ``Movement``.

    Attributes
    ----------
    active : set of int
        Routers that move.
    leaves : dict of int to Flit
        What routers send in this cycle to their set-up ports.
    owed : list of (SetUpPort or NodeInterface)
        Who gets a credit of channel V in this cycle.
    """

    def __init__(
        self,
        shape: NetworkShape,
        wiring: Wiring,
        nodes: Sequence[Node],
        interfaces: Sequence[NodeInterface],
        processes: Processes,
        observer: Observer | None,
    ) -> None:
        self._nodes, self._interfaces, self._processes = nodes, interfaces, processes
        self._wiring, self._observer = wiring, observer
        self.routers = [node.router for node in nodes if node.router]  # all of them, or none
        self._set_up_channel = shape.router.channels if shape.managers else -1
        self._sink_port = shape.router.links if shape.managers else -1
        self._backs = [self._credits_of(n) for n in range(len(self.routers))]
        self._marks = [mark << shape.router.flit_bits for mark in range(8)]
        self.active = set[int]()
        self.leaves: dict[int, Flit] = {}
        self.owed: list[SetUpPort | NodeInterface] = []

    def _credits_of(self, n: int) -> list[Back | None]:
        """Return where the credit of each input's channel goes; None: to no other router."""
        found: list[Back | None] = []
        for out in self._wiring.outs[n]:
            there = self.routers[out.place] if out and out.node < 0 else None
            for c in range(self._wiring.channels):
                if out and there:
                    at = out.port * self._wiring.channels + c
                    lane = out.reverse * self._wiring.width + c
                    found.append((lane, (there.tokens, at)))
                else:
                    found.append(None)
        return [*found, *[None] * self._wiring.channels]  # at last, of a set-up port alone

    def send(
        self,
        now: int,
        blocking: Mapping[int, Mapping[int, Sent]],
        shown: Shown,
        here: Coming,
        far: Coming,
    ) -> list[tuple[int, int, Sent]]:
        """Let routers send.

        Parameters
        ----------
        now : int
            The cycle.
        blocking : mapping of int to (mapping of int to Sent)
            Messages that leave by outputs of routers, by router.
        shown, here, far : Shown, Coming, Coming
            What is on the wires; what comes in this cycle, and behind registers on links.

        Returns
        -------
        list of (int, int, Sent)
            Messages on links: router, output and message.
        """
        routers, wiring, marks, observer = self.routers, self._wiring, self._marks, self._observer
        wires, messages = shown.wires, []
        credit, tokens, flits = shown.credits.append, far.tokens.append, far.flits.append
        moving = self.active | blocking.keys() if blocking else self.active
        self.active, self.leaves, self.owed = set(), {}, []
        for n in moving:
            router, outs, backs = routers[n], wiring.outs[n], self._backs[n]
            for at in router.freed:
                back = backs[at]
                if back:
                    credit(back[0])
                    tokens(back[1])
                else:
                    self._return(n, at, shown)
            for o, flit in router.send(blocking.get(n)).items():
                if not isinstance(flit, Flit):
                    messages.append((n, o, flit))
                    continue
                out = outs[o] if o < len(outs) else None
                c, payload, head, tail, _, _ = flit
                if o == self._sink_port and (out is None or c == self._set_up_channel):
                    self.leaves[n] = flit
                    if c != self._set_up_channel:
                        self._processes.drop()
                    continue
                if out is None:
                    continue
                link, lane, place, port, node, _ = out
                if head or tail:
                    payload |= marks[head | tail << 1 | flit.cut << 2]
                wires[lane + c] = payload
                if node < 0:
                    flits((place, port, flit))
                elif self._interfaces:
                    here.flits.append((place, 0, flit))
                else:
                    self._processes.eject(node, flit, now)
                if observer is not None:
                    observer.flit(link, now)
            if not router.is_idle:
                self.active.add(n)
        return messages

    def _return(self, n: int, at: int, shown: Shown) -> None:
        """Return a credit of a router's input to a node, or to a set-up port."""
        p, c = divmod(at, self._wiring.channels)
        outs, port = self._wiring.outs[n], self._nodes[n].set_up
        out = outs[p] if p < len(outs) else None
        if c == self._set_up_channel and port and not (out and self._interfaces):
            self.owed.append(port)
        elif out is not None:
            shown.credits.append(out.reverse * self._wiring.width + c)
            if c == self._set_up_channel:
                self.owed.append(self._interfaces[out.node])
            else:
                self._processes.credit(out.node, c)

    def end(self, here: Coming) -> None:
        """End a cycle: flits come into buffers, and senders have their credits."""
        routers, active, many = self.routers, self.active, len(self._nodes)
        for n, p, flit in here.flits:
            if n < many:
                routers[n].receive(p, flit)
                active.add(n)
        for tokens, at in here.tokens:
            tokens[at] += 1
        for port in self.owed:
            port.tokens += 1

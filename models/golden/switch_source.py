"""Packet sources of an irregular network, and the hold buffers of the node interfaces."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection

from syncfabric.models.golden.channel import HEAD, Flit
from syncfabric.models.golden.irregular_wiring import IrregularWiring
from syncfabric.models.golden.source import Sources
from syncfabric.models.messages import IrregularLayout

__all__ = ["SwitchSources"]


class SwitchSources(Sources):
    """Sources whose links carry the node interfaces' messages too (section I5).

    Attributes
    ----------
    hold : dict of link to queue of (lane, flit)
        The hold buffers that are not empty.
    """

    def __init__(
        self, wiring: IrregularWiring, layout: IrregularLayout, credits: list[int]
    ) -> None:
        super().__init__(wiring, layout, credits)
        self.hold: dict[int, deque[tuple[int, Flit]]] = {}

    def inject(self, now: int, held: Collection[int], sent: list[tuple[int, Flit]]) -> None:
        """Put flits on the links from the nodes, but for links that carry a message.

        Parameters
        ----------
        now : int
            This cycle.
        held : collection of int
            Links that carry a synchronization message.
        sent : list of (lane, flit)
            What is on the wires; appended to.
        """
        offered: list[tuple[int, Flit]] = []
        self.send(now, offered)
        behind = set(self.hold)
        for link in behind.difference(held):
            self._put_on_wires(now, *self.hold[link].popleft(), sent)
            if not self.hold[link]:
                del self.hold[link]
        for lane, flit in offered:
            link = lane // self.wiring.lanes
            if link in behind or link in held:
                self.hold.setdefault(link, deque()).append((lane, flit))
            else:
                self._put_on_wires(now, lane, flit, sent)

    def _put_on_wires(self, now: int, lane: int, flit: Flit, sent: list[tuple[int, Flit]]) -> None:
        if flit[1] & HEAD:
            flit[3].injected = now
        sent.append((lane, flit))

    def is_moving(self) -> bool:
        """Return whether a flit may move in the coming cycle."""
        return bool(self.ready or self.hold)

    def is_empty(self) -> bool:
        """Return whether every packet created has been sent."""
        return not self.hold and super().is_empty()

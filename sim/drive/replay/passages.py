"""Which packet was on which link when, told by the links' wires."""

from __future__ import annotations

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.drive.lanes import LaneMasks, bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.replay.script import NUMBER_BITS, Passage

__all__ = ["Passages"]


class Passages:
    """Collects the passages of packets that bear their number in their last flit.

    Parameters
    ----------
    spec : MessageSpec

    Attributes
    ----------
    seen : list of Passage
        In the order of their tails.
    """

    def __init__(self, spec: MessageSpec) -> None:
        masks = LaneMasks(spec)
        self._width, self._ordinary = masks.width, masks.ordinary
        self._tail = 1 << spec.layout.flit.offsets["tail"]
        self._open: dict[int, int] = {}
        self.seen: list[Passage] = []

    def note(self, line: Line) -> None:
        """Take a cycle in."""
        for lane, flit in zip(bits(line.record.valid), line.record.payloads, strict=True):
            if not self._ordinary >> lane & 1:
                continue
            first = self._open.setdefault(lane, line.cycle)
            if flit & self._tail:
                del self._open[lane]
                number = flit & (1 << NUMBER_BITS) - 1
                self.seen.append(Passage(number, lane // self._width, first, line.cycle))

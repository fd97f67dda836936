"""The loader of a static network and its chain of route bits (sections R3 and R5)."""

from __future__ import annotations

from syncfabric.models.golden.static_wiring import PORTS, StaticWiring
from syncfabric.models.messages.static import CHAIN_BITS, LoaderWord

__all__ = ["Loader"]

WORD_BITS = 32
SELECTS = PORTS - 1


class Loader:
    """Takes route words in, and tells what the switches take from the chain.

    That the bits enter one by one cannot be seen, for there is no strobe meanwhile; a strobe takes
    the bits that stand there when it is asked for.

    Parameters
    ----------
    wiring : StaticWiring

    Attributes
    ----------
    strobe : int or None
        The cycle in which ``route_strobe`` is or was high.
    """

    def __init__(self, wiring: StaticWiring) -> None:
        self._wiring = wiring
        self._bits = CHAIN_BITS * wiring.nodes
        self._mask = (1 << self._bits) - 1
        self._chain = self._taken = 0
        self.strobe: int | None = None
        self._shifts_to = -1

    def configure(self, now: int, address: int, write: bool, data: int) -> tuple[int, bool, int]:
        """Obey a request in cycle ``now``; return the answer's cycle, error and data."""
        if now <= self._shifts_to:
            return now + 1, True, 0
        if write and address == LoaderWord.SHIFT:
            for bit in range(WORD_BITS):
                self._chain = self._chain << 1 | (data >> bit & 1)
            self._chain &= self._mask
            self._shifts_to = now + WORD_BITS
            return now + WORD_BITS + 1, False, 0
        if write and address == LoaderWord.STROBE:
            self.strobe, self._taken = now + 1, self._chain
            return now + 1, False, 0
        if not write and address == LoaderWord.LENGTH:
            return now + 1, False, self._bits
        return now + 1, True, 0

    def selects(self) -> list[list[int]]:
        """Return the links that each output's select names, by the output's link."""
        wiring = self._wiring
        found: list[list[int]] = []
        for switch in range(wiring.nodes):
            for port in range(PORTS):
                bits = self._part(switch, port)
                others = [other for other in range(PORTS) if other != port]
                chosen = [wiring.inputs[switch][o] for i, o in enumerate(others) if bits >> i & 1]
                found.append([link for link in chosen if link is not None])
        return found

    def flushed(self) -> list[int]:
        """Return the outputs whose ``flush`` bit is set, as links."""
        return [
            PORTS * switch + port
            for switch in range(self._wiring.nodes)
            for port in range(PORTS)
            if self._part(switch, port) >> SELECTS
        ]

    def _part(self, switch: int, port: int) -> int:
        """Return an output's select bits, with its ``flush`` bit above them."""
        width = SELECTS + 1
        return self._taken >> CHAIN_BITS * switch + width * port & (1 << width) - 1

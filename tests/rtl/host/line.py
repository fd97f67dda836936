"""The other end of a UART, bit by bit."""

from typing import Any

from cocotb.triggers import FallingEdge, Timer
from cocotb.utils import get_sim_time

CYCLE = 10_000
"""Of the clock, in ps."""


class Line:
    """Sends and receives bytes.

    Parameters
    ----------
    rx, tx : handles
        The pins, as the hardware calls them.
    cycles : int
        Cycles of a bit.
    skew : float
        Part by which bits are longer here than they should be.
    """

    def __init__(self, rx: Any, tx: Any, cycles: int, skew: float = 0.0) -> None:
        self._rx, self._tx = rx, tx
        self._bit = round(cycles * CYCLE * (1 + skew))
        self.heard = bytearray()
        self.bad = 0

    async def wait(self, bits: float) -> None:
        """Let some bits' time pass."""
        await Timer(round(bits * self._bit), "ps")

    async def level(self, level: int, bits: float) -> None:
        """Hold the line."""
        self._rx.value = level
        await self.wait(bits)

    async def send(self, data: bytes, *, stop: int = 1, gap: float = 0) -> None:
        """Send bytes."""
        for byte in data:
            await self.level(0, 1)
            for i in range(8):
                await self.level(byte >> i & 1, 1)
            await self.level(stop, 1)
            await self.level(1, gap) if gap else None
        self._rx.value = 1

    async def listen(self) -> None:
        """Hear bytes for ever; a bit is taken from its middle."""
        while True:
            await FallingEdge(self._tx)
            begin = get_sim_time("ps")
            await self.wait(0.5)
            assert self._tx.value == 0
            byte = 0
            for i in range(8):
                await self.wait(1)
                byte |= int(self._tx.value) << i
            await self.wait(1)
            self.bad += int(self._tx.value) == 0
            self.heard.append(byte)
            assert get_sim_time("ps") - begin < 10 * self._bit

    async def lines(self, count: int, bits: int = 4000) -> list[str]:
        """Return the next lines that are heard."""
        for _ in range(bits):
            if self.heard.count(b"\n") >= count:
                break
            await self.wait(1)
        *lines, rest = bytes(self.heard).split(b"\r\n", count)
        assert len(lines) == count, bytes(self.heard)
        self.heard[:] = rest
        return [line.decode("ascii") for line in lines]

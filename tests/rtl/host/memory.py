"""What stands on the host bus in benches of fronts."""

import random
from typing import Any

from cocotb.triggers import FallingEdge, RisingEdge

from tests.rtl.support import Pins

REFUSED, PUT_OFF = 0x3F, 0x3E
"""Words that the memory refuses, and that it puts off until another word is written."""


class Memory:
    """What is on the bus: 64 words, which answer after a while."""

    def __init__(self, dut: Any, name: str, pins: Pins, rng: random.Random) -> None:
        self.pins, self.rng = pins, rng
        self.clk, self.valid = dut.clk, getattr(dut, f"{name}__bus__valid")
        self.words = [rng.getrandbits(32) for _ in range(64)]
        self.log: list[tuple[bool, int]] = []
        self.released = False

    def answer(self) -> dict[str, int]:
        """Return the answer to what is on the bus."""
        seen = self.pins.read(["bus__write", "bus__address", "bus__data"])
        write, at = bool(seen["bus__write"]), seen["bus__address"]
        self.log.append((write, at))
        answer = {"bus__ready": 1, "bus__rdata": 0, "bus__error": 0, "bus__later": 0}
        if at >= REFUSED:
            return answer | {"bus__error": 1}
        if write:
            self.words[at] = seen["bus__data"]
            self.released |= at == 0
            return answer
        if at == PUT_OFF and not self.released:
            return answer | {"bus__later": 1}
        return answer | {"bus__rdata": self.words[at]}

    async def run(self) -> None:
        """Answer for ever, and look that requests stay."""
        while True:
            if not self.pins["bus__valid"]:
                await RisingEdge(self.valid)
                await FallingEdge(self.clk)
            kept = self.pins.read(["bus__valid", "bus__write", "bus__address", "bus__data"])
            for _ in range(self.rng.choice([0, 1, 1, 5])):
                await FallingEdge(self.clk)
                assert self.pins.read(kept) == kept
            self.pins.drive(self.answer())
            await FallingEdge(self.clk)
            self.pins.drive({"bus__ready": 0, "bus__rdata": self.rng.getrandbits(32)})

"""Software of a manager under test, and the words that it writes."""

from typing import Any

from syncfabric.models.layout.setup import (
    COMMAND,
    MANAGER_STATUS,
    REQUEST,
    Answer,
    ManagerState,
    ManagerWord,
)
from syncfabric.rtl.lifecycle.manager import Manager
from tests.rtl.lifecycle.stage import FLIT, SHAPE, Stage, flit, play, reply

__all__ = [
    "COUNT",
    "DONE",
    "FAILED",
    "RUNNING",
    "STRIDE",
    "Software",
    "asked",
    "command",
    "memory",
    "run",
]

INDEX = 1
COUNT = 113
STRIDE = SHAPE.stride
Sent = tuple[int, int, bool, bool]
"""Cycle, payload, head, tail of a flit that left."""


class Software:
    """Writes and reads a manager's words; flits leave while ``open`` is true."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.sent = stage, list[Sent]()
        self.open = True
        self.unexpected: list[int] = []
        self.offered: list[int] = []

    async def cycle(self, **inputs: int) -> dict[str, int]:
        stage = self.stage
        now, seen = stage.now, stage.drive(**inputs)
        leaves = bool(seen["request_valid"]) and self.open
        seen = await stage.cycle(request_leaves=leaves, **inputs)
        if seen["request_valid"]:
            self.offered.append(now)
        else:
            assert seen["request_flit"] == 0
        if leaves:
            word = FLIT.unpack(seen["request_flit"])
            self.sent.append((now, word["payload"], bool(word["head"]), bool(word["tail"])))
        if seen["unexpected"]:
            self.unexpected.append(now)
        return seen

    async def rest(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.cycle()

    async def ask(self, word: int, data: int | None = None, **inputs: int) -> int | None:
        """Make a request of two cycles; return its answer, or None for an error."""
        asks = {
            "config__valid": 1,
            "config__address": word,
            "config__write": data is not None,
            "config__data": data or 0,
        }
        seen = await self.cycle(**asks, **inputs)
        assert not seen["config__ready"]
        seen = await self.cycle(**asks)
        assert seen["config__ready"]
        assert not (seen["config__error"] and seen["config__rdata"])
        return None if seen["config__error"] else seen["config__rdata"]

    async def fill(self, count: int) -> None:
        """Write so many requests, each word with its number in the low bits."""
        assert await self.ask(ManagerWord.POINTER, 0) == 0
        for number in range(count * STRIDE):
            assert await self.ask(ManagerWord.DATA, memory(number)) == 0

    async def command(self, operation: int, count: int = 0, **inputs: int) -> int | None:
        return await self.ask(ManagerWord.COMMAND, command(operation, count), **inputs)

    async def status(self) -> tuple[int, int, int, int]:
        word = MANAGER_STATUS.unpack(await self.ask(ManagerWord.STATUS) or 0)
        return word["state"], word["code"], word["epoch"], word["request"]

    async def reply(self, code: Answer, **fields: int) -> None:
        """Let a reply come, with its header."""
        await self.cycle(reply_valid=1, reply_flit=flit(5, head=True))
        await self.cycle(reply_valid=1, reply_flit=reply(code, **fields))


def memory(number: int) -> int:
    return 0xFFFF_0000 + number


def command(operation: int, count: int) -> int:
    return COMMAND.pack({"operation": operation, "count": count})


def asked(operation: int, number: int, tag: int = 0) -> int:
    """Return the second flit of a request: what is in memory, and what hardware puts in."""
    fields = {"operation": operation, "manager": INDEX, "tag": tag, "sequence": number}
    word = REQUEST.unpack(memory(number * STRIDE + 1) & (1 << REQUEST.width) - 1)
    return REQUEST.pack(word | fields)


def run(program: Any, shape: Any = SHAPE, enable: int = 1) -> None:
    async def with_software(stage: Stage) -> None:
        await program(Software(stage))

    play(Manager(shape), with_software, enable=enable, index=INDEX, count=COUNT)


RUNNING, DONE, FAILED = ManagerState.RUNNING, ManagerState.DONE, ManagerState.FAILED

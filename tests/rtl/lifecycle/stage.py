"""A part under Amaranth's simulator, cycle by cycle, and words of set-up packets for it."""

from collections.abc import Awaitable, Callable
from typing import Any

from amaranth import ClockDomain, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In
from amaranth.sim import Simulator

from syncfabric.models.layout.flit import flit_layout, xy_header
from syncfabric.models.layout.setup import REPLY, REQUEST, Answer, Operation
from syncfabric.rtl.lifecycle.shape import SetUpShape

__all__ = ["SHAPE", "Stage", "flit", "play", "reply", "request", "shape_of"]

HEADER = xy_header(2, 1)
FLIT = flit_layout(32, cut=True)


def shape_of(
    managers: int = 2, *, entries: int = 8, image_words: int = 2, routers: int = 8, places: int = 3
) -> SetUpShape:
    """Return the numbers of a mesh of 4x2, whose manager i is at node 7 - i."""
    reply = HEADER.offsets["reply"]
    headers = tuple(7 - i | 1 << reply for i in range(managers))
    return SetUpShape(FLIT, 2, places, reply, entries, image_words, routers, headers)


SHAPE = shape_of()


class Stage:
    """Drives inputs by name, one cycle at a time; those that are not named are 0."""

    def __init__(self, part: wiring.Component, ctx: Any, constants: dict[str, int]) -> None:
        self.ctx, self.now = ctx, 0
        self._inputs: dict[str, Any] = {}
        self._outputs: dict[str, Any] = {}
        for path, member, port in part.signature.flatten(part):
            value: Any = port.as_value() if hasattr(port, "as_value") else port
            side = self._inputs if member.flow == In else self._outputs
            side["__".join(map(str, path))] = value
        self._driven = dict.fromkeys(self._inputs, 0)
        self.constants = constants

    def drive(self, **inputs: int) -> dict[str, int]:
        """Drive the inputs of this cycle; return its outputs."""
        unknown = inputs.keys() - self._inputs.keys()
        assert not unknown, unknown
        for name, value in self._inputs.items():
            word = inputs.get(name, self.constants.get(name, 0))
            if self._driven[name] != word:
                self.ctx.set(value, word)
                self._driven[name] = word
        return {name: self.ctx.get(value) for name, value in self._outputs.items()}

    async def cycle(self, **inputs: int) -> dict[str, int]:
        """Go through a cycle; return the outputs before its edge."""
        outputs = self.drive(**inputs)
        await self.ctx.tick()
        self.now += 1
        return outputs


def play(
    part: wiring.Component, program: Callable[[Stage], Awaitable[None]], **constants: int
) -> None:
    """Run a program on a part, some inputs of which are constant."""
    whole = Module()
    whole.domains.sync = ClockDomain(reset_less=True)
    whole.submodules.part = part
    simulator = Simulator(whole)
    simulator.add_clock(1e-6)

    async def bench(ctx: Any) -> None:
        await program(Stage(part, ctx, constants))

    simulator.add_testbench(bench)
    simulator.run()


def flit(payload: int, *, head: bool = False, tail: bool = False, cut: bool = False) -> int:
    """Return the bits of a flit."""
    return FLIT.pack({"payload": payload, "head": head, "tail": tail, "cut": cut})


def request(
    operation: int = Operation.SETUP,
    *,
    manager: int = 0,
    tag: int = 0,
    epoch: int = 0,
    entry: int = 0,
    sequence: int = 0,
    words: tuple[int, ...] = (),
    cut: bool = False,
) -> list[int]:
    """Return the flits of a request; the last may be cut."""
    fields = {
        "operation": operation,
        "manager": manager,
        "tag": tag,
        "epoch": epoch,
        "entry": entry,
        "sequence": sequence,
    }
    payloads = [5, REQUEST.pack(fields), *words]
    last = len(payloads) - 1
    return [
        flit(word, head=i == 0, tail=i == last, cut=cut and i == last)
        for i, word in enumerate(payloads)
    ]


def reply(code: Answer, *, tag: int = 0, epoch: int = 0, entry: int = 0, number: int = 0) -> int:
    """Return the bits of a reply's second flit."""
    fields = {"code": code, "tag": tag, "epoch": epoch, "entry": entry, "number": number}
    return flit(REPLY.pack(fields), tail=True)

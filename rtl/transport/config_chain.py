"""The config chain: requests go from router to router, a register a hop, and answers come back."""

from typing import Any

from amaranth import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import ADDRESS_BITS, WORD_BITS
from syncfabric.rtl.engine.ports import EngineConfigSignature
from syncfabric.rtl.parts.gates import either

__all__ = ["NODE_BITS", "TARGET_BITS", "ChainEnd", "ChainSignature", "ConfigNode"]

NODE_BITS = 16
TARGET_BITS = 3

_REQUEST = data.StructLayout(
    {
        "node": NODE_BITS,
        "write": 1,
        "address": ADDRESS_BITS,
        "target": TARGET_BITS,
        "data": WORD_BITS,
    }
)


class ChainSignature(wiring.Signature):
    """The chain between two routers, from the host's side.

    Members
    -------
    request_valid : Out(1), request : Out(node, write, address, target, data)
        A request, for one cycle. There is no other until it is answered.
    answer_valid, answer_error : In(1), answer_rdata : In(32)
        An answer, for one cycle; 0 otherwise.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "request_valid": Out(1),
                "request": Out(_REQUEST),
                "answer_valid": In(1),
                "answer_error": In(1),
                "answer_rdata": In(WORD_BITS),
            }
        )


class ConfigNode(wiring.Component):
    """A router's part of the chain. Rules: docs/microarchitecture-engine.md, Config chain.

    Parameters
    ----------
    targets : tuple of int
        Numbers of the parts of the router that have config words, 0 to 7.

    Members
    -------
    index : In(16)
        Number of the router; constant.
    host : In(ChainSignature), next : Out(ChainSignature)
        The chain towards the host, and away from it.
    target_0 .. : Out(EngineConfigSignature)
        Of those that there are.
    """

    def __init__(self, targets: tuple[int, ...]) -> None:
        most = (1 << TARGET_BITS) - 1
        if not targets or not set(targets) <= set(range(most + 1)):
            raise ValueError(f"ConfigNode needs targets out of 0..{most}, not {targets!r}")
        self._targets = targets
        members: dict[str, Any] = {
            "index": In(NODE_BITS),
            "host": In(ChainSignature()),
            "next": Out(ChainSignature()),
        }
        members |= {f"target_{k}": Out(EngineConfigSignature()) for k in targets}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        host, further = self.host, self.next
        valid, held, ours = Signal(), Signal(), Signal()
        request = Signal(_REQUEST, reset_less=True)
        targets = [getattr(self, f"target_{k}") for k in self._targets]
        absent = Signal()
        ready = Cat(absent, *(target.ready for target in targets)).any()
        # The host waits for an answer, so a request stays here until the next one comes.
        with m.If(host.request_valid):
            m.d.sync += request.eq(host.request)
        m.d.sync += [
            valid.eq(host.request_valid),
            held.eq((held | (valid & ours)) & ~ready),
        ]
        m.d.comb += [
            ours.eq(request.node == self.index),
            further.request_valid.eq(valid & ~ours),
            further.request.eq(request),
        ]
        # Where there is no target, this answers in its place.
        missing = valid & ours
        for k, target in zip(self._targets, targets, strict=True):
            named = request.target == k
            missing &= ~named
            m.d.comb += [
                target.valid.eq(named & (held | (valid & ours))),
                target.write.eq(request.write),
                target.address.eq(request.address),
                target.data.eq(request.data),
            ]
        errors = Cat(absent, *(target.error for target in targets)).any()
        m.d.sync += [
            absent.eq(missing),
            host.answer_valid.eq(ready | further.answer_valid),
            host.answer_error.eq(errors | further.answer_error),
            host.answer_rdata.eq(
                either([*(target.rdata for target in targets), further.answer_rdata])
            ),
        ]
        return m


class ChainEnd(wiring.Component):
    """Answers what is for no router, with an error and a cycle later.

    Members
    -------
    host : In(ChainSignature)
    """

    def __init__(self) -> None:
        super().__init__({"host": In(ChainSignature())})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        asked = self.host.request_valid
        m.d.sync += [
            self.host.answer_valid.eq(asked),
            self.host.answer_error.eq(asked),
        ]
        return m

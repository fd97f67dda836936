"""The config chain: requests go from router to router, a register a hop; its taps and words."""

from collections.abc import Iterable, Mapping
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import WORD_BITS
from syncfabric.models.layout.words import ADDRESS_BITS, PART_BITS
from syncfabric.rtl.engine.ports import EngineConfigSignature
from syncfabric.rtl.parts.activity import transient
from syncfabric.rtl.parts.gates import either

NODE_BITS = 16

_REQUEST = data.StructLayout(
    {
        "node": NODE_BITS,
        "write": 1,
        "address": ADDRESS_BITS,
        "target": PART_BITS,
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
        most = (1 << PART_BITS) - 1
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
            transient(valid).eq(host.request_valid),
            transient(held).eq((held | (valid & ours)) & ~ready),
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
            transient(absent).eq(missing),
            transient(host.answer_valid).eq(ready | further.answer_valid),
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


class ConfigTap(wiring.Component):
    """Joins the node to the chain, or, while ``run`` is high, to its process alone.

    Source: docs/microarchitecture-cores.md, K5.

    Members
    -------
    index : In(16)
        Number of the node on the chain; constant.
    run : In(1)
        Stays high once it is; no request of the host is under way then.
    valid, write, address, data : In
        A request of the process; it stays until it is answered.
    ready, error, rdata : Out
        The answer, for one cycle; 0 otherwise.
    host : In(ChainSignature), node : Out(ChainSignature)
        The chain towards the host, and the node.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "index": In(NODE_BITS),
                "run": In(1),
                "valid": In(1),
                "write": In(1),
                "address": In(ADDRESS_BITS + PART_BITS),
                "data": In(WORD_BITS),
                "ready": Out(1),
                "error": Out(1),
                "rdata": Out(WORD_BITS),
                "host": In(ChainSignature()),
                "node": Out(ChainSignature()),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        host, node = self.host, self.node
        asked = Signal()
        asks, ready = self.run & self.valid, self.run & node.answer_valid
        request = node.request
        m.d.sync += asked.eq((asked | asks) & ~ready)
        m.d.comb += [
            node.request_valid.eq(Mux(self.run, asks & ~asked, host.request_valid)),
            request.eq(host.request),
            self.ready.eq(ready),
            self.error.eq(self.run & node.answer_error),
            self.rdata.eq(Mux(self.run, node.answer_rdata, 0)),
        ]
        with m.If(self.run):
            m.d.comb += [
                request.node.eq(self.index),
                request.write.eq(self.write),
                request.address.eq(self.address[:ADDRESS_BITS]),
                request.target.eq(self.address[ADDRESS_BITS:]),
                request.data.eq(self.data),
            ]
        with m.Else():
            m.d.comb += [
                host.answer_valid.eq(node.answer_valid),
                host.answer_error.eq(node.answer_error),
                host.answer_rdata.eq(node.answer_rdata),
            ]
        return m


class Words(wiring.Component):
    """Answers a request in the cycle after its first one; a write takes effect then.

    Requests for other words, or in the other direction, are answered with an error.
    Rules: docs/microarchitecture-engine.md, Node (4, 5).

    Parameters
    ----------
    read : mapping of int to int
        Widths of the words that can be read, by address.
    written : iterable of int
        Addresses of the words that can be written.

    Members
    -------
    config : In(EngineConfigSignature)
    refuse : In(1)
        The request, if there is one, is answered with an error, and does nothing.
    read_0 .. : In, reads_0 .. : Out(1)
        The words that can be read, by address; this one is answered in the next cycle.
    write_0 .. : Out(1)
        The words that can be written: this one becomes ``config.data`` after this cycle.
    """

    def __init__(self, read: Mapping[int, int], written: Iterable[int] = ()) -> None:
        self._read = tuple(read)
        self._written = tuple(written)
        members: dict[str, Any] = {"config": In(EngineConfigSignature()), "refuse": In(1)}
        members |= {f"read_{address}": In(width) for address, width in read.items()}
        members |= {f"reads_{address}": Out(1) for address in read}
        members |= {f"write_{address}": Out(1) for address in self._written}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        config = self.config
        first = config.valid & ~config.ready
        reads = first & ~config.write & ~self.refuse
        writes = first & config.write & ~self.refuse
        known, read = [], [Const(0, len(config.rdata))]
        for address in self._read:
            asked = reads & (config.address == address)
            known.append(asked)
            m.d.comb += getattr(self, f"reads_{address}").eq(asked)
            read.append(Mux(asked, getattr(self, f"read_{address}"), 0))
        for address in self._written:
            asked = writes & (config.address == address)
            known.append(asked)
            m.d.comb += getattr(self, f"write_{address}").eq(asked)
        m.d.sync += [
            transient(config.ready).eq(first),
            config.error.eq(first & ~Cat(known).any()),
            config.rdata.eq(either(read)),
        ]
        return m

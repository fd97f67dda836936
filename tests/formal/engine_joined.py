"""What joins engines, routers and hosts: shared links, and the config chain."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.engine import WORD_BITS, EngineLayout
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.router.router import Router
from syncfabric.rtl.router.routing import SourceRouting
from syncfabric.rtl.transport.config_chain import ChainEnd, ConfigNode
from syncfabric.rtl.transport.link import SharedLinks
from tests.formal.links import Sender
from tests.formal.properties import Properties


class _BusyEngine(Engine):
    """Sends by any links in any cycle but those after `hold`, as `EntryProof` says of engines."""

    def __init__(self, layout: EngineLayout, sends: Value, words: Value) -> None:
        super().__init__(layout, stages=2, shared=True)
        self._sends, self._words = sends, words

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for p in range(self._layout.links):
            link = getattr(self, f"out_{p}")
            m.d.sync += link.valid.eq(self._sends[p] & ~self.hold)
            m.d.comb += link.message.eq(self._words)
        return m


class SharesProof(wiring.Component):
    """A router of two ports whose links are shared with an engine that sends whenever it may."""

    def __init__(self) -> None:
        self._layout = EngineLayout(2, False, 2, 0, "none")
        message = self._layout.message.width
        ports: dict[str, Any] = {"sends": In(2), "words": In(message), "credits": In(2)}
        for p in range(2):
            ports |= {f"valid_{p}": In(1), f"flit_{p}": In(18), f"message_{p}": In(1)}
        super().__init__(ports)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, message = Properties(m), self._layout.message.width
        engine = _BusyEngine(self._layout, self.sends, self.words)
        router = Router(
            SourceRouting(((0, 1), (0, 1))),
            channels=1, buffer_flits=1, flit_bits=16, messages=(0, 1), message_bits=message,
        )  # fmt: skip
        m.submodules.part = part = SharedLinks(router, engine, 2)
        for p in range(2):
            come, out = getattr(part, f"in_{p}"), getattr(part, f"out_{p}")
            m.d.comb += [
                come.valid.eq(getattr(self, f"valid_{p}")),
                Value.cast(come.flit).eq(getattr(self, f"flit_{p}")),
                come.message_valid.eq(getattr(self, f"message_{p}")),
                out.credit.eq(self.credits[p]),
            ]
            Sender(m, claims, f"in_{p}", come, 1)
            claims.assume(~(come.valid & come.message_valid))
            arrives, leaves = getattr(engine, f"in_{p}"), getattr(engine, f"out_{p}")
            word, flit = leaves.message.as_value(), out.flit.as_value()
            claims.holds(
                f"link {p} carries the engine's message when it is sent",
                (out.message_valid == leaves.valid) & (~leaves.valid | (flit == word)),
            )
            claims.holds(
                f"link {p} carries one thing at a time", ~(out.message_valid & out.valid.any())
            )
            claims.holds(
                f"a message on link {p} is the engine's, and a flit is not",
                (arrives.valid == come.message_valid)
                & (arrives.message.as_value() == come.flit.as_value()[:message]),
            )
            # Of any cycles in a row, messages have three of five, and two more.
            ahead, busy = Signal(4, name=f"ahead_{p}"), Signal(5, name=f"busy_{p}")
            m.d.comb += busy.eq(ahead + 2)
            with m.If(out.message_valid):
                m.d.sync += ahead.eq(busy)
            with m.Else():
                m.d.sync += ahead.eq(Mux(ahead > 3, ahead - 3, 0))
            claims.holds(f"packets have two of five cycles of link {p}", ahead <= 6)
            claims.reached(f"messages have three cycles of link {p} in a row", ahead == 6)
        left = Cat(getattr(part, f"out_{p}").valid for p in range(2))
        claims.reached(
            "a flit leaves after messages", left.any() & claims.before("sent", self.sends.all())
        )
        return m


class ChainProof(wiring.Component):
    """A chain of two config nodes of two targets each; targets answer when they like.

    Reset is over. The host waits for each answer.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "asks": In(1),
                "request": In(57),
                "ready": In(4),
                "errors": In(1),
                "words": In(WORD_BITS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        nodes = [ConfigNode((0, 1)), ConfigNode((0, 1))]
        m.submodules.first, m.submodules.second = nodes
        m.submodules.end = end = ChainEnd()
        wiring.connect(m, nodes[0].next, nodes[1].host)
        wiring.connect(m, nodes[1].next, end.host)
        m.d.comb += nodes[1].index.eq(1)
        host = nodes[0].host
        request = Signal.like(host.request)
        pending, done, waited = Signal(), Signal(), Signal(3)
        m.d.comb += [
            host.request_valid.eq(self.asks & ~(pending & ~host.answer_valid)),
            Value.cast(host.request).eq(self.request),
        ]
        with m.If(host.request_valid):
            m.d.sync += [request.eq(host.request), pending.eq(1)]
        with m.Elif(host.answer_valid):
            m.d.sync += pending.eq(0)
        targets = [getattr(node, f"target_{k}") for node in nodes for k in range(2)]
        named = (request.node < 2) & (request.target < 2)
        which = (request.node[0] << 1) | request.target[0]
        asked = Cat(target.valid for target in targets)
        answers = Signal(4)
        # A target answers a request that it has had for a cycle or more.
        m.d.comb += answers.eq(self.ready & asked & claims.before("asked", asked & ~answers))
        for target, answer in zip(targets, answers, strict=True):
            m.d.comb += [
                target.ready.eq(answer),
                target.error.eq(answer & self.errors),
                target.rdata.eq(Mux(answer, self.words, 0)),
            ]
        with m.If(host.request_valid):
            m.d.sync += [done.eq(0), waited.eq(0)]
        with m.Else():
            m.d.sync += done.eq(done | answers.any())
            with m.If(~asked.any() & pending):
                m.d.sync += waited.eq(waited + 1)
        claims.holds("an answer is to a request that waits", ~host.answer_valid | pending)
        claims.holds(
            "a request reaches its target alone, once",
            (asked == 0) | (pending & named & ~done & (asked == (1 << which)[:4])),
        )
        same = [
            ~target.valid
            | (
                (target.write == request.write)
                & (target.address == request.address)
                & (target.data == request.data)
            )
            for target in targets
        ]
        claims.holds("it reaches it as it was made", Cat(same).all())
        claims.holds("it is answered in time, once its target has", ~pending | (waited <= 5))
        kept = Signal(WORD_BITS + 1)
        with m.If(answers.any()):
            m.d.sync += kept.eq(Cat(self.words, self.errors))
        answer = Cat(host.answer_rdata, host.answer_error)
        claims.holds(
            "the answer is the target's, or an error",
            ~host.answer_valid | Mux(named, done & (answer == kept), answer == 1 << WORD_BITS),
        )
        claims.holds("without an answer all is 0", host.answer_valid | (answer == 0))
        for n in range(2):
            claims.reached(f"node {n} answers", host.answer_valid & done & (request.node == n))
        claims.reached("the end of the chain answers", host.answer_valid & (request.node == 2))
        return m

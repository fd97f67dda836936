"""A router of packets and an engine, joined: messages on links of their own, or on shared ones."""

from typing import Any

from amaranth import Cat, Const, DomainRenamer, Module, Mux, Signal, Value
from amaranth.hdl import Fragment
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.parts.activity import transient
from syncfabric.rtl.parts.delay import delayed
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.router.router import Router


class Joined(wiring.Component):
    """Shows all ports of a router, if there is one, and of an engine, less those joined inside.

    Parameters
    ----------
    router : Router
    engine : Engine
    inside : tuple of str
        How names of the engine's ports begin that are not exposed.
    **more
        Members beside those that are exposed.

    Members
    -------
    Those of :class:`Router`, and, beginning with ``sync_``, those of :class:`Engine`.
    """

    def __init__(
        self, router: Router | None, engine: Engine, inside: tuple[str, ...], **more: Any
    ) -> None:
        self._router = router
        self._engine = engine
        members = router.signature.members.items() if router else ()
        exposed: dict[str, Any] = {
            name: member for name, member in members if not name.startswith("message_")
        }
        self._packets = tuple(exposed)
        self._exposed = {
            f"sync_{name}": name for name in engine.signature.members if not name.startswith(inside)
        }
        for name, member in self._exposed.items():
            exposed[name] = engine.signature.members[member]
        super().__init__(exposed | more)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self._router:
            m.submodules.router = self._placed_router(platform)
        m.submodules.engine = engine = self._engine
        for name in self._packets:
            show(m, self, name, self._router, name)
        for name, member in self._exposed.items():
            show(m, self, name, engine, member)
        return m

    def _placed_router(self, platform: object) -> Any:
        return self._router


def word_on(link: Any) -> Value:
    """Return the message that is on a shared link, above which there may be more bits."""
    return Cat(link.flit, getattr(link, f"{link.signature.sharer}_rest", Const(0, 0)))


def show(m: Module, outer: Any, name: str, inner: Any, member: str) -> None:
    """Join a port of a part to the same of what it is a part of."""
    outside, inside = getattr(outer, name), getattr(inner, member)
    described = inner.signature.members[member]
    if described.is_signature:
        wiring.connect(m, wiring.flipped(outside), inside)
    elif described.flow == In:
        m.d.comb += inside.eq(outside)
    else:
        m.d.comb += outside.eq(inside)


class OwnLinks(Joined):
    """Messages have links of their own: router and engine have nothing to do with each other.

    Rules: docs/microarchitecture-engine.md, L1.

    Parameters
    ----------
    router : Router or None
        None: there are no packets.
    engine : Engine
    """

    def __init__(self, router: Router | None, engine: Engine) -> None:
        super().__init__(router, engine, ("none",))


class LinksApart(OwnLinks):
    """The same, and the router's clock domain is ``packets``."""

    def _placed_router(self, platform: object) -> Any:
        return DomainRenamer("packets")(Fragment.get(self._router, platform))


class SharedLinks(Joined):
    """Messages leave by the outputs of the router, before flits; link p is port p of the router.

    Rules: docs/microarchitecture-engine.md, L1.

    Parameters
    ----------
    router : Router
        With messages on the ports that are the engine's links.
    engine : Engine
        Of two stages at least, and ``shared``.
    links : int
        The engine's links.
    """

    def __init__(self, router: Router, engine: Engine, links: int) -> None:
        self._links = links
        super().__init__(router, engine, ("in_", "out_", "hold"))
        self._outputs = router

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        router, engine = self._outputs, self._engine
        runs = []
        for p in range(self._links):
            arrives, leaves = getattr(engine, f"in_{p}"), getattr(engine, f"out_{p}")
            link = getattr(self, f"in_{p}")
            m.d.comb += [
                arrives.valid.eq(link.message_valid),
                arrives.message.as_value().eq(word_on(link)),
                getattr(router, f"message_{p}_valid").eq(leaves.valid),
                getattr(router, f"message_{p}").eq(Mux(leaves.valid, leaves.message, 0)),
            ]
            once, twice = Signal(name=f"sent_{p}"), Signal(name=f"sent_twice_{p}")
            m.d.sync += [transient(once).eq(leaves.valid), transient(twice).eq(once)]
            runs.append(once & twice)
        # Two cycles of messages in a row, and packets get the next but one.
        m.d.comb += engine.hold.eq(either(runs))
        return m


class LinkRegisters(wiring.Component):
    """Delays every wire of a link, in both directions, by the same number of cycles.

    There is no reset: a reset of both ends lasts until nothing old is left on the wires.
    Rules: docs/microarchitecture-engine.md, L1 (5), Node (2).

    Parameters
    ----------
    signature : Signature
        The link, of whatever kind.
    registers : int, 0 to 15

    Members
    -------
    near : In(signature)
        The end that sends.
    far : Out(signature)
        The end that receives.
    """

    def __init__(self, signature: wiring.Signature, registers: int) -> None:
        if not 0 <= registers <= 15:
            raise ValueError(f"LinkRegisters needs 0 to 15 registers, not {registers!r}")
        self._link = signature
        self._registers = registers
        super().__init__({"near": In(signature), "far": Out(signature)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        near, far = self._link.flatten(self.near), self._link.flatten(self.far)
        for (path, member, a), (_, _, b) in zip(near, far, strict=True):
            here, there = Value.cast(a), Value.cast(b)
            driven, word = (there, here) if member.flow == Out else (here, there)
            name = "__".join(map(str, path)) + "_"
            m.d.comb += driven.eq(delayed(m, word, self._registers, name)[-1])
        return m

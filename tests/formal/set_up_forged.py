"""What processes may try at routers that managers set up: any packets, any arrivals."""

from dataclasses import dataclass
from typing import Any

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages import (
    CONTROL,
    COUNTER_BASE,
    Counter,
    RegisterWord,
    SwitchWord,
)
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.irregular.node import NodeInterface
from syncfabric.rtl.irregular.switch import IrregularSwitch
from syncfabric.rtl.mesh.node import MeshNode
from syncfabric.rtl.messages import struct
from tests.formal.properties import Properties
from tests.formal.tree_register import network_of

__all__ = ["ForgedProof", "Router", "interface", "mesh", "switch"]

OPTIONS: dict[str, Any] = {
    "setup": "manager", "flit_bits": 32, "buffer_flits": 1, "channels": 1,
    "barrier_registers": 1, "data_bits": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Router:
    """A router as all three kinds are looked at.

    Parameters
    ----------
    component : Component
    inputs, outputs : tuple of str
        Links by which packets of processes come, and those with a channel of set-up packets.
    fixed : dict
        Inputs that are constant.
    kept : int
        Bits of a register's control word.
    writable, state : int
        The highest word that is written; that of the state.
    told : int
        Bits of the state that say that something goes on.
    delay : int
        Cycles until the config port answers.
    process : bool
        It has one, which arrives.
    alone : bool
        The root of a group of one is ready when it is valid, so no root is written.
    """

    component: Any
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    fixed: dict[str, int]
    kept: int
    writable: int
    state: int
    told: int
    delay: int
    process: bool
    alone: bool = False


def mesh() -> Router:
    """Return a node at the centre of a mesh of 3x3, whose manager is not built."""
    network = MeshSpec(kind="mesh", width=3, height=3, **OPTIONS)
    links = ("east", "north", "west", "south")
    return Router(
        component=MeshNode(network),
        inputs=("local_in", *(f"{name}_in" for name in links)),
        outputs=tuple(f"{name}_out" for name in links),
        fixed={"x": 1, "y": 1},
        kept=(1 << CONTROL.width) - 1,
        writable=RegisterWord.STATUS - 1,
        state=RegisterWord.STATUS,
        told=0xFFF,
        delay=1,
        process=True,
    )


def switch() -> Router:
    """Return a switch of three ports."""
    network = network_of(ports=3, **OPTIONS)
    return Router(
        component=IrregularSwitch(network),
        inputs=tuple(f"in_{p}" for p in range(3)),
        outputs=tuple(f"out_{p}" for p in range(3)),
        fixed={"routes": 1 << network.layout.port_bits},
        kept=(1 << CONTROL.width) - 1 & ~CONTROL.pack({"turn": 1}),
        writable=SwitchWord.TREE,
        state=SwitchWord.ARRIVED,
        told=0b1111,
        delay=2,
        process=False,
    )


def interface() -> Router:
    """Return a node interface with a manager."""
    network = network_of(ports=3, **OPTIONS)
    return Router(
        component=NodeInterface(network),
        inputs=("local_in", "downlink"),
        outputs=("uplink",),
        fixed={"manager": 1},
        kept=(1 << CONTROL.width) - 1 & ~CONTROL.pack({"turn": 1}),
        writable=SwitchWord.TREE,
        state=SwitchWord.ARRIVED,
        told=0b111,
        delay=2,
        process=True,
        alone=True,
    )


class ForgedProof(wiring.Component):
    """A router with one register, that software writes; processes do anything.

    No message comes, and no set-up packet: these are hardware's, as other proofs say. GO is not
    commanded either, so no register is ready. Nobody need keep credits.

    Parameters
    ----------
    router : Router

    Members
    -------
    valid, flits, credits : In
        What comes by the links.
    arrive : In(1)
        The process arrives.
    asks, address, writes, data : In
        The config port.
    """

    def __init__(self, router: Router) -> None:
        self._router = router
        count, size = len(router.inputs), getattr(router.component, router.inputs[0]).flit
        super().__init__(
            {
                "valid": In(count),
                "flits": In(count * len(size.as_value())),
                "credits": In(2 * len(router.outputs)),
                "arrive": In(1),
                "asks": In(1),
                "address": In(12),
                "writes": In(1),
                "data": In(32),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, router, part = Properties(m), self._router, self._router.component
        m.submodules.router = part
        config, given = part.config, struct(CONTROL)(self.data[: CONTROL.width])
        for name, value in router.fixed.items():
            m.d.comb += getattr(part, name).eq(value)
        for p, name in enumerate(router.inputs):
            link = getattr(part, name)
            size = len(link.flit.as_value())
            flit = self.flits[size * p : size * p + size]
            m.d.comb += [
                link.valid.eq(self.valid[p]),
                link.flit.eq(Mux(self.valid[p], flit, 0)),
            ]
        said = []
        for p, name in enumerate(router.outputs):
            link = getattr(part, name)
            m.d.comb += link.credit.eq(self.credits[2 * p : 2 * p + 2])
            said.append(link.valid[1])
        m.d.comb += [
            config.valid.eq(self.asks),
            config.address.eq(self.address),
            config.write.eq(self.writes),
            config.data.eq(self.data),
        ]
        claims.assume(~self.writes | (self.address <= router.writable))
        if router.process:
            m.d.comb += part.arrive.eq(self.arrive)
        if router.alone:
            claims.assume(~self.writes | (self.address != RegisterWord.CONTROL) | ~given.root)

        # What is asked, as it was when the answer comes.
        def then(name: str, value: Any) -> Any:
            for cycle in range(router.delay):
                value = claims.before(f"{name}_{cycle}", value)
            return value

        control, reads = RegisterWord.CONTROL, self.asks & ~self.writes
        wrote = then("wrote", self.asks & self.writes & (self.address == control))
        read = then("read", reads & (self.address == control))
        looks = then("looks", reads & (self.address == router.state))
        kept, word = Signal(CONTROL.width), then("word", given.as_value() & router.kept)
        with m.If(wrote & config.ready & ~config.error):
            m.d.sync += kept.eq(word)
        claims.holds(
            "a register is what software has written, whatever processes send and arrive at",
            ~read | (config.ready & (config.rdata == kept)),
        )
        claims.holds("nothing goes on in it", ~looks | ((config.rdata & router.told) == 0))
        claims.holds("no manager hears of it, and no switch", ~Cat(said).any())
        counter = Counter.REFUSED_ARRIVE if router.process else Counter.STRAY
        counts = then("counts", reads & (self.address == COUNTER_BASE + counter))
        if router.process:
            claims.holds("the process is told nothing", ~part.released.any() & ~part.ready.any())
            claims.reached("an arrival is refused, and counted", counts & (config.rdata != 0))
        else:
            claims.reached("a packet for the switch is counted", counts & (config.rdata != 0))
        claims.reached("a register is set up", read & config.rdata[0])
        return m

"""A set-up sink beside a unit of wires: what managers are answered, and what becomes of slots."""

from typing import Any

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from syncfabric.models.messages import REPLY, REQUEST, Answer, Request
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.setup.format import setup_format
from syncfabric.rtl.setup.sink import SetupSink
from syncfabric.rtl.wires.unit import WireUnit

MESH = MeshSpec(
    kind="mesh", width=2, height=2, barrier_registers=2, data_bits=0, sync="wires",
    setup="manager", managers=((0, 0),),
)  # fmt: skip
TREE = 2 | (1 << 4 | 1 << 0) << 4
"""Parent WEST, children the process and EAST."""
SLOT = 20
"""Where the image word of a request names the slot."""


class Router(wiring.Component):
    def __init__(self) -> None:
        flit = MESH.layout.flit.width
        members = {"valid": In(1), "flit": In(flit), "listening": Out(1), "released": Out(2)}
        members |= {"arrive": In(2), "broken": Out(2), "open": Out(2), "gids": Out(16)}
        super().__init__(members | {"reply_valid": Out(1), "reply_flit": Out(flit)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.sink = sink = SetupSink(setup_format(MESH, ((0, 0), (1, 0))))
        m.submodules.unit = unit = WireUnit(MESH, WirePlane(2, 0), 4, process=True, sink=True)
        wiring.connect(m, sink.access, unit.access)
        m.d.comb += [
            sink.valid.eq(self.valid),
            sink.flit.eq(self.flit),
            sink.reply_taken.eq(sink.reply_valid),
            *(getattr(sink, name).eq(getattr(unit, name)) for name in ("gids", "open", "managers")),
            *(
                getattr(self, name).eq(getattr(sink, name))
                for name in ("listening", "reply_valid", "reply_flit")
            ),
            unit.arrive.eq(self.arrive),
            *(
                getattr(self, name).eq(getattr(unit, name))
                for name in ("released", "broken", "open", "gids")
            ),
        ]
        return m


def test_a_manager_sets_slots_up_and_takes_them_back() -> None:
    router = Router()
    flit = MESH.layout.flit

    async def drive(context: Any) -> None:
        async def ask(operation: Request, *image: int, **fields: int) -> Answer:
            request = REQUEST.pack({"operation": operation, "gid": 9, **fields})
            words = [0, request, *image]
            for i, word in enumerate(words):
                tail = i == len(words) - 1
                context.set(router.valid, 1)
                context.set(router.flit, flit.pack({"payload": word, "head": i == 0, "tail": tail}))
                await context.tick()
            context.set(router.valid, 0)
            for _ in range(60):
                shown = flit.unpack(context.get(router.reply_flit))
                valid = context.get(router.reply_valid)
                await context.tick()
                if valid and shown["tail"]:
                    return Answer(REPLY.unpack(shown["payload"])["code"])
            raise AssertionError("no answer")

        assert await ask(Request.SETUP, TREE | 2 << SLOT) is Answer.FULL, "no such slot"
        assert await ask(Request.SETUP, TREE) is Answer.OK
        assert context.get(router.open) == 1
        assert context.get(router.gids) & 255 == 9
        assert await ask(Request.SETUP, TREE, fire=1) is Answer.OK
        # Bits that a slot has not are not compared.
        assert await ask(Request.SETUP, TREE | 1 << 2 | 1 << 15, turn=1) is Answer.OK
        assert await ask(Request.SETUP, TREE ^ 1) is Answer.EXISTS
        assert await ask(Request.SETUP, TREE, root=1) is Answer.EXISTS
        assert await ask(Request.SETUP, TREE, gid=10) is Answer.FULL, "the slot is another's"
        assert context.get(router.open) == 1
        assert await ask(Request.SETUP, TREE | 1 << SLOT, gid=10, manager=1) is Answer.OK
        assert context.get(router.gids) == 10 << 8 | 9
        assert await ask(Request.SETUP, TREE | 1 << SLOT, gid=11) is Answer.FULL
        assert await ask(Request.SETUP, TREE | 1 << SLOT) is Answer.OK, "it has its slot"
        assert await ask(Request.CLEAR, gid=10) is Answer.DENIED
        context.set(router.arrive, 1)
        await context.tick()
        context.set(router.arrive, 0)
        assert await ask(Request.SETUP, TREE) is Answer.EXISTS, "busy"
        assert not context.get(router.broken)
        assert await ask(Request.CLEAR) is Answer.OK
        assert context.get(router.open) == 2
        assert context.get(router.broken) == 1
        assert await ask(Request.KILL, gid=10, manager=1) is Answer.OK
        assert context.get(router.open) == 0
        assert await ask(Request.CLEAR) is Answer.OK
        assert await ask(Request.SETUP, TREE | 1 << SLOT) is Answer.OK, "not the first free one"
        assert context.get(router.open) == 2

    simulator = Simulator(router)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()


def test_the_format_is_that_of_slots_on_both_kinds_of_network() -> None:
    mesh = setup_format(MESH, MESH.managers)
    assert mesh.image == ((1, 0b11111_0011),)
    assert (mesh.command, mesh.state, mesh.busy, mesh.stride) == (4, 5, 0b111, 3)
    assert mesh.slot_at == SLOT
    switches = IrregularSpec(
        kind="irregular", ports=5, switches=1, links=(), nodes=((0, 2),), sync="wires",
        barrier_registers=3, managers=((0, 2),),
    )  # fmt: skip
    form = setup_format(switches, switches.managers)
    assert form.image == ((1, 0b11111_0111),)
    assert (form.registers, form.routers, form.control) == (3, 1, 0x3FFFF & ~4)

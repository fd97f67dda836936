# amaranth: UnusedElaboratable=no
"""A node's end of its link in every cycle; words of a node interface; what waits at a node."""

from typing import Any

import pytest
from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out
from amaranth.sim import Simulator

from syncfabric.models.layout.flit import flit_layout
from syncfabric.models.layout.network import RouterWord, Target
from syncfabric.models.layout.setup import Operation
from syncfabric.models.layout.shape import MeshNodeShape, NodeShape
from syncfabric.rtl.planes.interface import LinkEnd, NodeInterface
from syncfabric.rtl.planes.node import Node
from tests.rtl.lifecycle.stage import Stage, play, request

FLIT = flit_layout(32)
PLACES = 2


def shape(**options: Any) -> NodeShape:
    keys: dict[str, Any] = {"links": 2, "own": False, "routing": "table", "routers": 4}
    return NodeShape(**{**keys, "buffer_flits": PLACES, "channels": 2, **options})


def flit(payload: int, *, head: bool = True, tail: bool = True) -> int:
    return FLIT.pack({"payload": payload, "head": head, "tail": tail})


A, B, C, MINE = (flit(n) for n in (10, 11, 12, 13))
MESSAGE = {"arrive__valid": 1, "arrive__message": 0x5D}
REQUEST = {"request_valid": 1, "request_flit": MINE}


def inject(word: int, channel: int = 0) -> dict[str, int]:
    return {"inject__valid": 1 << channel, "inject__flit": word}


def link(seen: dict[str, int]) -> tuple[int, int]:
    """Return what is on the link: a bit a channel, and one above for a message; and the word."""
    return seen["out_0__valid"] | seen.get("out_0__message_valid", 0) << 3, seen["out_0__flit"]


def test_a_message_goes_before_the_manager_and_that_before_the_process() -> None:
    async def program(stage: Stage) -> None:
        seen = await stage.cycle(**MESSAGE, **REQUEST, **inject(A, 1))
        assert link(seen) == (8, 0x5D)
        assert not seen["request_leaves"]
        seen = await stage.cycle(**REQUEST, **inject(B))
        assert link(seen) == (4, MINE)
        assert seen["request_leaves"]
        assert link(await stage.cycle(**inject(C))) == (2, A)
        assert link(await stage.cycle()) == (1, B)
        assert link(await stage.cycle(**MESSAGE)) == (8, 0x5D)
        assert link(await stage.cycle()) == (1, C)
        # The second credit of the manager, and then none; the link is the process's.
        assert link(await stage.cycle(**REQUEST)) == (4, MINE)
        seen = await stage.cycle(**REQUEST, **inject(A))
        assert link(seen) == (1, A)
        assert not seen["request_leaves"]
        # A credit of a cycle is used in the next one at the earliest, and is the manager's alone.
        seen = await stage.cycle(**REQUEST, out_0__credit=0b111)
        assert (link(seen), seen["inject__credit"]) == ((0, 0), 0b11)
        assert link(await stage.cycle(**REQUEST)) == (4, MINE)

    play(LinkEnd(shape(managers=1, message_links="shared")), program)


def test_a_full_hold_drops() -> None:
    """Four places: two of each channel."""

    async def program(stage: Stage) -> None:
        for count in range(6):
            seen = await stage.cycle(**MESSAGE, **inject(flit(count)))
            assert seen["overflows"] == (count > 3)
        for count in range(4):
            assert link(await stage.cycle()) == (1, flit(count))
        assert link(await stage.cycle()) == (0, 0)

    play(LinkEnd(shape(message_links="shared")), program)


@pytest.mark.parametrize("managers", [0, 1])
def test_messages_of_their_own_links_are_in_no_ones_way(managers: int) -> None:
    async def program(stage: Stage) -> None:
        asks = REQUEST if managers else {}
        seen = await stage.cycle(**MESSAGE, **inject(A, 1), **asks)
        assert (seen["sync_out_0__valid"], seen["sync_out_0__message"]) == (1, 0x5D)
        assert link(seen) == ((4, MINE) if managers else (2, A))
        seen = await stage.cycle()
        assert link(seen) == ((2, A) if managers else (0, 0))
        assert not seen["sync_out_0__valid"]
        seen = await stage.cycle(sync_in_0__valid=1, sync_in_0__message=0x33)
        assert not seen["release__valid"]
        seen = await stage.cycle()
        assert (seen["release__valid"], seen["release__message"]) == (1, 0x33)

    play(LinkEnd(shape(managers=managers)), program)


def test_what_comes_by_the_link() -> None:
    async def program(stage: Stage) -> None:
        seen = await stage.cycle(in_0__valid=2, in_0__flit=A, eject__credit=1)
        assert (seen["eject__valid"], seen["eject__flit"], seen["in_0__credit"]) == (2, A, 1)
        assert not seen["manager_valid"]
        seen = await stage.cycle(in_0__valid=4, in_0__flit=MINE)
        assert (seen["eject__valid"], seen["eject__flit"]) == (0, 0)
        assert (seen["manager_valid"], seen["manager_flit"], seen["in_0__credit"]) == (1, MINE, 0)
        seen = await stage.cycle(in_0__message_valid=1, in_0__flit=0x2A)
        assert (seen["eject__valid"], seen["in_0__credit"]) == (0, 4)
        assert not seen["release__valid"]
        seen = await stage.cycle()
        assert (seen["release__valid"], seen["release__message"]) == (1, 0x2A)
        assert not (await stage.cycle())["release__valid"]

    play(LinkEnd(shape(managers=1, message_links="shared")), program)


def test_a_message_wider_than_a_flit() -> None:
    wide = shape(message_links="shared", flit_bits=16, data_bits=32, operations="all")
    word = 0x9_8765_4321

    async def program(stage: Stage) -> None:
        seen = await stage.cycle(arrive__valid=1, arrive__message=word)
        assert seen["out_0__message_rest"] << 18 | seen["out_0__flit"] == word
        await stage.cycle(in_0__message_valid=1, in_0__flit=5, in_0__message_rest=9)
        seen = await stage.cycle()
        assert seen["release__message"] == 5 | 9 << 18

    play(LinkEnd(wide), program)


async def ask(stage: Stage, target: int, word: int, data: int | None = None, **others: int) -> Any:
    """Ask target 0 of the chain; return the answer, or None for an error."""
    address = word | target << 5
    request = (data is not None) << 16 | address << 17 | (data or 0) << 25
    seen = await stage.cycle(host__request_valid=1, host__request=request, **others)
    for _ in range(20):
        seen = await stage.cycle(**others)
        if seen["host__answer_valid"]:
            return None if seen["host__answer_error"] else seen["host__answer_rdata"]
    return "no answer"


@pytest.mark.parametrize("guarded", [False, True])
def test_words_of_a_node_interface(guarded: bool) -> None:
    options = {"check_bits": 4} if guarded else {}
    interface = NodeInterface(shape(message_links="shared", **options), 3)

    async def program(stage: Stage) -> None:
        for target in (Target.ENGINE, Target.MANAGER, 4):
            assert await ask(stage, target, 16) is None
        for _ in range(3):
            await stage.cycle(arrive=0b101)
        assert await ask(stage, Target.PORT, 16) == 3
        if not guarded:
            assert await ask(stage, Target.ROUTER, RouterWord.OVERFLOW) is None
            return
        await stage.cycle(in_0__packets__check=1)
        assert await ask(stage, Target.ROUTER, RouterWord.CORRUPT) == 1
        assert await ask(stage, Target.ROUTER, RouterWord.LOST) == 0
        assert await ask(stage, Target.ROUTER, RouterWord.OVERFLOW) == 0
        assert await ask(stage, Target.ROUTER, RouterWord.UNEXPECTED) is None
        assert await ask(stage, Target.ROUTER, RouterWord.FENCE, 3) == 0
        assert await ask(stage, Target.ROUTER, RouterWord.FENCE) == 1
        await stage.cycle(in_0__packets__check=1)
        assert await ask(stage, Target.ROUTER, RouterWord.CORRUPT) == 1

    play(interface, program)


def test_without_packets_nothing_overflows() -> None:
    async def program(stage: Stage) -> None:
        assert await ask(stage, Target.ROUTER, RouterWord.LOST) == 0
        assert await ask(stage, Target.ROUTER, RouterWord.OVERFLOW) is None

    keys = shape(check_bits=4, channels=0)
    play(NodeInterface(keys, 3), program)
    play(Node(keys), program)


def test_the_chain_waits_while_a_sink_is_in_the_middle_of_a_packet() -> None:
    mesh = MeshNodeShape(width=2, height=1, managers=1, registers=2)
    words = mesh.layout.image_words

    async def program(stage: Stage) -> None:
        for _ in range(40):
            await stage.cycle()
        packet = request(Operation.SETUP, words=(0,) * words)
        packet[0] &= ~0xFF
        for word in packet[:-1]:
            await stage.cycle(in_0__packets__valid=2, in_0__packets__flit=word)
            for _ in range(5):
                await stage.cycle()
        assert await ask(stage, Target.ENGINE, 16) == "no answer"
        seen = await stage.cycle(in_0__packets__valid=2, in_0__packets__flit=packet[-1])
        waited = 0
        while not seen["host__answer_valid"]:
            seen, waited = await stage.cycle(), waited + 1
        assert waited < 20
        # Without the middle of a packet it is answered.
        assert await ask(stage, Target.ENGINE, 16) == 0

    play(Node(mesh, (4,)), program)


@pytest.mark.parametrize("near", [0b11, 0b01])
def test_a_flit_that_is_lost_on_the_way_to_a_node(near: int) -> None:
    """The router's guard gives its credit back, if it knows that the link has no registers."""
    keys = shape(check_bits=5, link_registers=3, channels=1)
    m = Module()
    m.submodules.router = router = Node(keys)
    nodes: list[Any] = [NodeInterface(keys, 1) for _ in range(2)]
    m.d.comb += [router.number.eq(1), router.bare.eq(near)]
    flip = Signal()
    for p, node in enumerate(nodes):
        m.submodules[f"node_{p}"] = node
        wiring.connect(m, node.out_0, getattr(router, f"in_{p}"))
        for plane in ("packets", "messages"):
            out = getattr(getattr(router, f"out_{p}"), plane)
            into = getattr(node.in_0, plane)
            for name, member in out.signature.members.items():
                here, there = getattr(out, name), getattr(into, name)
                if member.flow == Out:
                    wrong = flip if (p, plane, name) == (1, "packets", "check") else 0
                    m.d.comb += there.eq(here ^ wrong if name == "check" else here)
                else:
                    m.d.comb += here.eq(there)
    received: list[int] = []

    async def bench(ctx: Any) -> None:
        for count in range(6):
            for flips in (1, 0):
                ctx.set(nodes[0].inject.valid, 1)
                # Router 1 and port 1 of it.
                ctx.set(nodes[0].inject.flit.as_value(), flit(0b101 | count << 8))
                ctx.set(flip, flips)
                await ctx.tick()
                ctx.set(nodes[0].inject.valid, 0)
                for _ in range(300):
                    if ctx.get(nodes[1].eject.valid):
                        received.append(ctx.get(nodes[1].eject.flit.payload) >> 8)
                        ctx.set(nodes[1].eject.credit, 1)
                    await ctx.tick()
                    ctx.set(nodes[1].eject.credit, 0)

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert received == (list(range(6)) if near == 0b11 else [0])

# amaranth: UnusedElaboratable=no
"""Groups that managers set up by packets, from config words to releases, without a golden model."""

from typing import Any

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.sim import Simulator

from syncfabric.models.layout.engine import COMMIT, IMAGE_ADDRESS, Code, EngineCounter
from syncfabric.models.layout.network import NetworkShape, RouterWord, Target
from syncfabric.models.layout.setup import (
    COMMAND,
    FREED,
    MANAGER_STATUS,
    REQUEST,
    Answer,
    ManagerState,
    ManagerWord,
    Operation,
)
from syncfabric.models.layout.shape import MeshNodeShape, NodeShape
from syncfabric.rtl.planes.interface import NodeInterface
from syncfabric.rtl.planes.node import Node
from syncfabric.rtl.transport.config_chain import ChainEnd

ENTRY, REGISTERS = 2, 4
KEYS: dict[str, Any] = {"groups": 8, "managers": 2, "data_bits": 4, "operations": "bitwise"}


def mesh(**options: Any) -> NetworkShape:
    """Return a mesh of two nodes, both of which have managers."""
    shape = MeshNodeShape(width=2, height=1, registers=REGISTERS, **KEYS, **options)
    link = ((0, 0), (1, 2))
    return NetworkShape(shape, 2, (link,), ((0, 4), (1, 4)), (0, 1))


def star(**options: Any) -> NetworkShape:
    """Return a network of two routers, of which each has a node."""
    shape = NodeShape(links=2, own=False, routing="table", routers=2, **KEYS, **options)
    return NetworkShape(
        shape, 2, (((0, 0), (1, 0)),), ((0, 1), (1, 1)), (1, 0), routes=((0, 0), (0, 0))
    )


class Fabric:
    """A network in Amaranth: two routers, and node interfaces if it has any."""

    def __init__(self, network: NetworkShape) -> None:
        self.network = network
        shape, managers = network.router, range(len(network.managers))
        headers = tuple(network.manager_header(i) for i in managers)
        self.routers: list[Any] = [Node(shape, headers) for _ in range(network.routers)]
        self.nodes = self.routers
        if network.interfaces:
            self.nodes = [NodeInterface(shape, REGISTERS, headers) for _ in network.nodes]
        self.module = m = Module()
        chain: list[Any] = [*self.nodes, *(self.routers if network.interfaces else ())]
        for i, part in enumerate(chain):
            m.submodules[f"target_{i}"] = part
            m.d.comb += part.index.eq(i)
        m.submodules.end = end = ChainEnd()
        for near, far in zip(chain, [*chain[1:], end], strict=True):
            wiring.connect(m, near.next, far.host)
        self.host = chain[0].host
        for (a, p), (b, q) in network.links:
            self.join(self.routers[a], p, self.routers[b], q)
        for i, (r, p) in enumerate(network.nodes if network.interfaces else ()):
            self.join(self.nodes[i], 0, self.routers[r], p)
        for r, router in enumerate(self.routers):
            m.d.comb += router.number.eq(r)
            if network.routes:
                m.d.comb += router.routes.eq(
                    sum(p << 2 * t for t, p in enumerate(network.routes[r]))
                )
            else:
                m.d.comb += [router.x.eq(r), router.y.eq(0)]
        for number, node in enumerate(network.managers):
            m.d.comb += [
                self.nodes[node].manager.eq(1),
                self.nodes[node].manager_index.eq(number),
            ]
        self.entries = shape.layout.entries
        self.ctx: Any = None

    def join(self, a: Any, p: int, b: Any, q: int) -> None:
        """Join two ports in both directions."""
        for here, i, there, k in ((a, p, b, q), (b, q, a, p)):
            wiring.connect(self.module, getattr(here, f"out_{i}"), getattr(there, f"in_{k}"))

    def run(self, program: Any) -> None:
        simulator = Simulator(self.module)
        simulator.add_clock(1e-6)

        async def bench(ctx: Any) -> None:
            self.ctx = ctx
            await ctx.tick().repeat(40)
            await program(self)

        simulator.add_testbench(bench)
        simulator.run()

    async def ask(
        self, target: int, part: int, word: int, data: int | None = None
    ) -> tuple[bool, int]:
        """Read a word, or write it; return whether that is an error, and the answer."""
        ctx, host = self.ctx, self.host
        ctx.set(host.request.node, target)
        ctx.set(host.request.target, part)
        ctx.set(host.request.address, word)
        ctx.set(host.request.write, data is not None)
        ctx.set(host.request.data, data or 0)
        ctx.set(host.request_valid, 1)
        await ctx.tick()
        ctx.set(host.request_valid, 0)
        for _ in range(200):
            if ctx.get(host.answer_valid):
                answer = bool(ctx.get(host.answer_error)), ctx.get(host.answer_rdata)
                await ctx.tick()
                return answer
            await ctx.tick()
        raise AssertionError("no answer on the chain")

    async def read(self, target: int, part: int, word: int) -> int:
        error, contents = await self.ask(target, part, word)
        assert not error
        return contents

    async def write(self, target: int, part: int, word: int, data: int) -> None:
        assert await self.ask(target, part, word, data) == (False, 0)

    def image(self, router: int, epochs: dict[int, int]) -> int:
        """Return the image of a tree of both routers and both nodes, whose root is router 0."""
        network, layout = self.network, self.network.router.layout
        fields = dict.fromkeys(layout.image.offsets, 0)
        own = network.nodes[router][1]
        between = next(p for r, p in network.ends if r == router)
        fields["children"] = 1 << own
        fields["parent" if router else "children"] |= 1 << between
        fields["op"] = 2
        fields[f"entry_{between}"], fields[f"epoch_{between}"] = ENTRY, epochs[1 - router]
        if network.interfaces:
            fields[f"entry_{own}"], fields[f"epoch_{own}"] = ENTRY, epochs[router]
        return layout.image.pack(fields)

    async def command(
        self, manager: int, operation: Operation, epochs: dict[int, int], routers: Any = (1, 0)
    ) -> tuple[int, int, int, int]:
        """Give a command for some routers, and await its end; epochs are those before SETUP."""
        network, target = self.network, self.network.managers[manager]
        layout = network.router.layout
        await self.write(target, Target.MANAGER, ManagerWord.POINTER, 0)
        after = {r: epoch + 1 & 3 for r, epoch in epochs.items()}
        for r in routers:
            image = self.image(r, after)
            asked = {"epoch": epochs[r], "entry": ENTRY}
            fields = dict.fromkeys(REQUEST.offsets, 0) | asked
            words = [network.sink_header(r), REQUEST.pack(fields)]
            words += [image >> 32 * k & 0xFFFFFFFF for k in range(layout.image_words)]
            for word in words:
                await self.write(target, Target.MANAGER, ManagerWord.DATA, word)
        data = COMMAND.pack({"operation": operation, "count": len(routers)})
        await self.write(target, Target.MANAGER, ManagerWord.COMMAND, data)
        for _ in range(100):
            word = await self.read(target, Target.MANAGER, ManagerWord.STATUS)
            status = MANAGER_STATUS.unpack(word)
            if status["state"] != ManagerState.RUNNING:
                return status["state"], status["code"], status["epoch"], status["request"]
        raise AssertionError("the command does not end")

    async def until(self, wanted: Any, cycles: int = 300) -> None:
        for _ in range(cycles):
            if wanted():
                return
            await self.ctx.tick()
        raise AssertionError("it does not happen")

    def bits(self, name: str) -> list[int]:
        return [self.ctx.get(getattr(node, name)) >> ENTRY & 1 for node in self.nodes]

    async def barrier(self, data: tuple[int, int], *, last: bool = False) -> None:
        """Let both nodes arrive, and compare their results."""
        ctx = self.ctx
        await self.until(lambda: self.bits("ready") == [1, 1])
        for node, word in zip(self.nodes, data, strict=True):
            ctx.set(node.arrive, 1 << ENTRY)
            ctx.set(node.last, last << ENTRY)
            ctx.set(node.data, word << 4 * ENTRY)
        await ctx.tick()
        for node in self.nodes:
            ctx.set(node.arrive, 0)
        await self.until(lambda: self.bits("done") == [1, 1])
        for node in self.nodes:
            assert ctx.get(node.result) >> 4 * ENTRY & 15 == data[0] ^ data[1]


def done(epoch: int) -> tuple[int, int, int, int]:
    """Return a status without a refusal; the last reply says the root's epoch."""
    return ManagerState.DONE, 0, epoch, 0


FABRICS = {
    "mesh": lambda: mesh(),
    "mesh_shared": lambda: mesh(message_links="shared", output_register=True),
    "mesh_two_channels": lambda: mesh(channels=2, buffer_flits=2, engine_stages=2),
    "mesh_guarded": lambda: mesh(check_bits=4),
    "star": lambda: star(),
    "star_shared": lambda: star(message_links="shared", channels=2),
    "star_guarded": lambda: star(check_bits=4, buffer_flits=1),
    "star_guarded_shared": lambda: star(check_bits=8, message_links="shared"),
}


@pytest.mark.parametrize("name", FABRICS)
def test_the_life_of_a_group(name: str) -> None:
    """Set up by packets, used, ended by LAST, set up again, killed; and all that is refused."""

    async def program(fabric: Fabric) -> None:
        network = fabric.network
        target, other = network.managers
        assert await fabric.command(0, Operation.SETUP, {0: 0, 1: 0}) == done(1)
        await fabric.barrier((5, 3))
        await fabric.barrier((9, 12))
        # It is set up, and has gone on since: no command changes it but one with its epochs.
        busy = await fabric.command(0, Operation.SETUP, {0: 1, 1: 1})
        assert busy == (ManagerState.FAILED, Answer.BUSY, 1, 0)
        # The other manager has other entries.
        denied = await fabric.command(1, Operation.KILL, {0: 1, 1: 1})
        assert denied[:3] == (ManagerState.FAILED, Answer.DENIED, 1)
        await fabric.barrier((1, 2))
        await fabric.barrier((6, 2), last=True)
        assert fabric.bits("ready") == [0, 0]
        freed = 0
        for _ in range(20):
            freed = freed or await fabric.read(target, Target.MANAGER, ManagerWord.FREED)
        fields = {"router": 0, "entry": ENTRY, "epoch": 1, "valid": 1, "none": 0}
        assert FREED.unpack(freed) == fields
        over = await fabric.command(0, Operation.SETUP, {0: 0, 1: 0})
        assert over[:3] == (ManagerState.FAILED, Answer.ENDED, 1)
        epoch = await fabric.command(0, Operation.SETUP, {0: 3, 1: 3})
        assert epoch[:3] == (ManagerState.FAILED, Answer.EPOCH, 1)
        assert await fabric.command(0, Operation.SETUP, {0: 1, 1: 1}) == done(2)
        await fabric.barrier((7, 8))
        assert await fabric.command(0, Operation.KILL, {0: 2, 1: 2}) == done(2)
        assert fabric.bits("broken") == [1, 1]
        assert await fabric.command(0, Operation.KILL, {0: 2, 1: 2}) == done(2)
        # Half a tree; KILL makes the epoch of the other router as if it had been set up, too.
        assert await fabric.command(0, Operation.SETUP, {0: 2, 1: 2}, (1,)) == done(3)
        assert await fabric.command(0, Operation.KILL, {0: 3, 1: 3}) == done(3)
        assert await fabric.command(0, Operation.SETUP, {0: 3, 1: 3}) == done(0)
        await fabric.barrier((4, 8))
        for i in range(2):
            word = await fabric.read(network.target_of(i), Target.ROUTER, RouterWord.UNEXPECTED)
            assert word == 0
            assert await fabric.read(network.target_of(i), Target.ROUTER, RouterWord.OVERFLOW) == 0
        for node in (target, other):
            assert await fabric.read(node, Target.MANAGER, ManagerWord.UNEXPECTED) == 0

    Fabric(FABRICS[name]()).run(program)


@pytest.mark.parametrize("name", ["mesh", "star"])
def test_the_chain_and_a_manager_take_turns(name: str) -> None:
    """Words that the chain stages are not set up by it if a packet has come between."""

    async def program(fabric: Fabric) -> None:
        network, layout = fabric.network, fabric.network.router.layout
        place = network.target_of(0)
        image = layout.image.pack(dict.fromkeys(layout.image.offsets, 0) | {"children": 0})
        setup = COMMIT.pack({"code": Code.SETUP, "epoch": 0, "entry": 7, "word": 0})
        words = range(layout.image_words)
        for k in words:
            await fabric.write(
                place, Target.ENGINE, IMAGE_ADDRESS + k, image >> 32 * k & 0xFFFFFFFF
            )
        assert await fabric.command(0, Operation.SETUP, {0: 0, 1: 0}) == done(1)
        assert await fabric.ask(place, Target.ENGINE, 0, setup) == (True, 0)
        refused = 16 + EngineCounter.REFUSED_COMMAND
        assert await fabric.read(place, Target.ENGINE, refused) == 0
        for k in words:
            await fabric.write(
                place, Target.ENGINE, IMAGE_ADDRESS + k, image >> 32 * k & 0xFFFFFFFF
            )
        assert (await fabric.ask(place, Target.ENGINE, 0, setup))[0] is False
        await fabric.barrier((5, 3))

    Fabric(FABRICS[name]()).run(program)


def test_words_of_nodes_without_a_manager() -> None:
    """They are answered with an error; routers of such nodes have none at all."""
    for network in (mesh(), star()):
        fabric = Fabric(network)

        async def program(fabric: Fabric = fabric) -> None:
            for target in range(fabric.network.targets):
                there = target in fabric.network.managers
                for word in (ManagerWord.STATUS, ManagerWord.FREED):
                    error, _ = await fabric.ask(target, Target.MANAGER, word)
                    assert error != there

        fabric.run(lambda fabric, program=program: program(fabric))


def test_as_many_headers_as_managers() -> None:
    shape = mesh().router
    for make in (lambda: Node(shape, (1,)), lambda: NodeInterface(star().router, 1)):
        with pytest.raises(ValueError, match=r"^headers of 2 managers are needed, not of [01];"):
            make()

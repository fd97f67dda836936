"""A manager sets slots of switches up and takes them back, through a network with packets."""

from typing import Any

from syncfabric.models.messages import (
    CONTROL,
    MANAGER_BASE,
    MANAGER_COMMAND,
    MANAGER_STATUS,
    REQUEST,
    TREE,
    WIRE_IMAGE,
    Answer,
    Counter,
    ManagerState,
    ManagerWord,
    Op,
    Request,
)
from tests.rtl.irregular.row import Row, Source
from tests.rtl.irregular.specs import network

SPEC = network(
    ports=3, switches=2, barrier_registers=2, sync="wires", flit_bits=32,
    setup="manager", managers=((0, 2),),
)  # fmt: skip
SLOT, GID = 1, 9
TREES = {1: (1, [2]), 0: (1, [0, 2])}
"""Parent and children in each switch, the root last."""


class Manager:
    """The manager of the first node."""

    def __init__(self, row: Row, context: Any) -> None:
        self.row, self.context = row, context

    async def write(self, word: ManagerWord, value: int) -> None:
        assert await self.row.request(self.context, 0, MANAGER_BASE + word, value) == 0

    async def command(self, operation: Request, gid: int = GID) -> dict[str, int]:
        """Let it do something with the whole tree, and return its status."""
        await self.write(ManagerWord.POINTER, 0)
        for switch, (parent, children) in TREES.items():
            image = {"parent": parent, "children": sum(1 << p for p in children), "slot": SLOT}
            words = (
                SPEC.layout.header.pack({"switch": switch, "port": SPEC.ports}),
                REQUEST.pack({"gid": gid, "op": Op.OR, "root": switch == 0}),
                WIRE_IMAGE.pack(image),
            )
            for word in words:
                await self.write(ManagerWord.DATA, word)
        command = {"operation": operation, "count": len(TREES)}
        await self.write(ManagerWord.COMMAND, MANAGER_COMMAND.pack(command))
        for _ in range(80):
            await self.context.tick()
        status = await self.row.request(self.context, 0, MANAGER_BASE + ManagerWord.STATUS)
        assert status is not None
        return MANAGER_STATUS.unpack(status)


def test_slots_are_set_up_killed_and_cleared() -> None:
    row = Row(SPEC)
    layout = SPEC.layout
    header = layout.header.pack({"switch": 1, "port": 2})
    packets = [
        layout.flit.pack({"payload": header | i << 20, "head": 1, "tail": 1}) for i in range(500)
    ]
    source, sink = Source(row, 0, [(0, [flit]) for flit in packets]), Source(row, 1, [])

    async def exchange(context: Any) -> None:
        while True:
            source.step(context)
            sink.step(context)
            await context.tick()

    async def barrier(context: Any, arrive: list[int]) -> tuple[list[int], list[int]]:
        """Let some nodes arrive; return who is released, and who of them broken."""
        released, broken = [0, 0], [0, 0]
        for cycle in range(30):
            for i, node in enumerate(row.nodes):
                context.set(node.arrive, (arrive[i] if cycle == i else 0) << SLOT)
            await context.tick()
            for i, node in enumerate(row.nodes):
                released[i] += context.get(node.released) >> SLOT
                broken[i] += context.get(node.released & node.broken) >> SLOT
        return released, broken

    async def words(context: Any, switch: int) -> list[int | None]:
        return [await row.request(context, 2 + switch, 8 * r) for r in range(2)]

    async def drive(context: Any) -> None:
        manager = Manager(row, context)
        for node in range(2):
            await row.set_up(context, node, SLOT, (0, [1]), gid=GID)
        assert (await manager.command(Request.SETUP))["state"] == ManagerState.DONE
        for switch, (parent, children) in TREES.items():
            control = CONTROL.pack({"valid": 1, "root": switch == 0, "gid": GID, "op": Op.OR})
            assert await words(context, switch) == [0, control]
            tree = TREE.pack({"parent": parent, "children": sum(1 << p for p in children)})
            assert await row.request(context, 2 + switch, 8 * SLOT + 1) == tree
        assert await barrier(context, [1, 1]) == ([1, 1], [0, 0])

        # Another group finds the slot taken, in whatever order switches are asked.
        status = await manager.command(Request.SETUP, GID + 1)
        assert (status["state"], status["code"]) == (ManagerState.FAILED, Answer.FULL)

        # The slots of the switches die; who waits is told when its own slot is cleared.
        assert await barrier(context, [1, 0]) == ([0, 0], [0, 0])
        assert (await manager.command(Request.KILL))["state"] == ManagerState.DONE
        for switch in range(2):
            assert [word and word & 1 for word in await words(context, switch)] == [0, 0]
        assert await barrier(context, [0, 1]) == ([0, 0], [0, 0])
        for node in range(2):
            await row.write(context, node, SLOT, 0, 0)
            assert context.get(row.nodes[node].broken) == 1 << SLOT
        for node in range(2):
            await row.set_up(context, node, SLOT, (0, [1]), gid=GID)

        assert (await manager.command(Request.SETUP))["state"] == ManagerState.DONE
        assert await barrier(context, [1, 1]) == ([1, 1], [0, 0])
        assert (await manager.command(Request.CLEAR))["state"] == ManagerState.DONE
        for switch in range(2):
            assert await words(context, switch) == [0, 0]
        assert await barrier(context, [1, 1]) == ([0, 0], [0, 0])
        for target in range(4):
            assert await row.count(context, target, Counter.STRAY) == 0
        received = [flit[1] for flit in sink.received if flit]
        assert received == packets[: len(received)]
        assert len(received) > 100

    row.run(drive, exchange)

"""One node alone, its neighbours played by the bench: what it passes on, drops, and counts."""

from typing import Any

import cocotb

from syncfabric.models.messages import (
    CONTROL,
    COUNTER_BASE,
    NODE_WORD,
    STATUS,
    Counter,
    Kind,
    RegisterWord,
    register_address,
)
from syncfabric.models.networks.mesh import Mesh, Node, Port, Turn
from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.mesh.wormhole import destinations
from tests.rtl.support import Bench

PLACES = 3
SPEC = MeshSpec(kind="mesh", width=3, height=3, buffer_flits=PLACES, barrier_registers=2)
MESH, LAYOUT = Mesh(3, 3), SPEC.layout
CENTRE: Node = (1, 1)
NAMES = ("east", "north", "west", "south", "local")
NETWORK = tuple(Port)[:4]


class Surroundings:
    """Neighbours, process and config port of a node."""

    def __init__(self, bench: Bench, here: Node) -> None:
        self.bench, self.pins, self.here = bench, bench.pins["node"], here
        self.pins.drive({"x": here[0], "y": here[1], "index": MESH.index(here)})

    async def cycle(self, **values: int) -> dict[str, int]:
        """Drive these inputs for a cycle, 0 from then on; return the links out, as they were."""
        self.pins.drive(values)
        await self.bench.settle()
        names = [f"{name}_out__{wire}" for name in NAMES for wire in ("valid", "flit")]
        names += [f"{name}_out__sync_valid" for name in NAMES[:4]]
        seen = self.pins.read(names)
        await self.bench.edge()
        self.pins.drive(dict.fromkeys(values, 0))
        return seen

    async def rest(self, cycles: int = 3) -> list[dict[str, int]]:
        """Let time go by; return what was on the links out in each cycle."""
        return [await self.cycle() for _ in range(cycles)]

    async def request(self, address: int, data: int | None = None) -> tuple[int, int]:
        """Write or read a word; return error and data of the answer, which comes at once."""
        await self.cycle(
            config__valid=1,
            config__node=MESH.index(self.here),
            config__address=address,
            config__write=data is not None,
            config__data=data or 0,
        )
        await self.bench.settle()
        assert self.pins["config__ready"] == 1
        return self.pins["config__error"], self.pins["config__rdata"]

    async def count(self, counter: Counter) -> int:
        """Read a counter."""
        error, value = await self.request(COUNTER_BASE + counter)
        assert not error
        return value

    async def set_up(self, register: int, children: list[Port], **control: int) -> None:
        """Write an image with children next door and the parent in the west."""
        places = {port: MESH.neighbour(self.here, port) for port in (Port.WEST, *children)}
        words = {RegisterWord.PARENT: places[Port.WEST]}
        words |= {RegisterWord(RegisterWord.EAST + port): places[port] for port in children}
        for word, place in words.items():
            assert place is not None
            contents = NODE_WORD.pack({"x": place[0], "y": place[1], "present": 1})
            assert await self.request(register_address(register, word), contents) == (0, 0)
        image = CONTROL.pack({"valid": 1, **control})
        address = register_address(register, RegisterWord.CONTROL)
        assert await self.request(address, image) == (0, 0)


def flit(there: Node, *, head: int = 1, tail: int = 1) -> int:
    """Return a flit bound for a node."""
    payload = LAYOUT.header.pack({"x": there[0], "y": there[1]}) | 5 << LAYOUT.header.width
    return LAYOUT.flit.pack({"payload": payload, "head": head, "tail": tail})


def sync(there: Node, turn: int, **fields: int) -> int:
    """Return a message bound for a node."""
    return LAYOUT.sync.pack({"x": there[0], "y": there[1], "turn": turn, **fields})


async def node_at(dut: Any, here: Node) -> Surroundings:
    """Return the surroundings of the node after reset, at a place of the mesh."""
    bench = Bench(dut)
    await bench.reset()
    return Surroundings(bench, here)


def busy_wires(seen: dict[str, int]) -> dict[str, int]:
    return {name: value for name, value in seen.items() if value}


@cocotb.test()
@cocotb.parametrize(here=[(1, 1), (0, 0), (2, 0), (0, 2), (2, 2), (1, 0)])
async def flits_take_one_cycle_a_hop(dut: Any, here: Node) -> None:
    """Every input and destination, at every kind of place; the rim's outputs stay silent."""
    node = await node_at(dut, here)
    for port in Port:
        if port != Port.LOCAL and MESH.neighbour(here, port) is None:
            continue
        for there in destinations(MESH, here, port, Turn.X_FIRST):
            name, word = f"{NAMES[port]}_in", flit(there)
            seen = await node.cycle(**{f"{name}__valid": 1, f"{name}__flit": word})
            assert not busy_wires(seen), (port, there)
            out = NAMES[MESH.first_port(here, there, Turn.X_FIRST)] + "_out"
            seen = await node.cycle(**{f"{out}__credit": 0})
            assert busy_wires(seen) == {f"{out}__valid": 1, f"{out}__flit": word}, (port, there)
            await node.bench.settle()
            assert node.pins[f"{name}__credit"] == 1
            seen = await node.cycle(**{f"{out}__credit": 1})
            assert not busy_wires(seen), (port, there)


@cocotb.test()
@cocotb.parametrize(turn=[0, 1])
async def messages_take_one_cycle_a_hop(dut: Any, turn: int) -> None:
    """Every network input and destination in both classes; for this node, it is a stray."""
    node, strays = await node_at(dut, CENTRE), 0
    for port in NETWORK:
        for there in destinations(MESH, CENTRE, port, Turn(turn)):
            name, word = f"{NAMES[port]}_in", sync(there, turn, kind=Kind.REDUCE, gid=9)
            await node.cycle(**{f"{name}__sync_valid": 1 << turn, f"{name}__flit": word})
            seen = await node.cycle()
            out = NAMES[MESH.first_port(CENTRE, there, Turn(turn))] + "_out"
            if there == CENTRE:
                assert not busy_wires(seen)
                strays += 1
            else:
                expected = {f"{out}__sync_valid": 1 << turn, f"{out}__flit": word}
                assert busy_wires(seen) == expected, (port, there)
            await node.bench.settle()
            assert node.pins[f"{name}__sync_credit"] == 1 << turn
            await node.cycle(**({f"{out}__sync_credit": 1 << turn} if there != CENTRE else {}))
    assert await node.count(Counter.STRAY) == strays == 4


@cocotb.test()
async def what_does_not_fit_is_dropped_and_counted(dut: Any) -> None:
    """Without credits from the east: so many flits go, so many wait, the others are lost."""
    node = await node_at(dut, CENTRE)
    words = [flit((2, 1), head=i == 0, tail=i == 9) ^ i << 8 for i in range(10)]
    sent = []
    for word in words[:-1]:
        seen = await node.cycle(west_in__valid=1, west_in__flit=word)
        sent += [seen["east_out__flit"]] * seen["east_out__valid"]
    assert sent == words[:PLACES]
    assert await node.count(Counter.OVERFLOW) == 9 - 2 * PLACES

    # The first goes on in the cycle in which the second comes, which finds its slot occupied.
    for data in range(4):
        message = sync((2, 1), 0, gid=1, data=data)
        await node.cycle(west_in__sync_valid=1, west_in__flit=message)
    assert await node.count(Counter.OVERFLOW) == 9 - 2 * PLACES + 2

    await node.cycle(east_out__sync_credit=1)
    seen = await node.cycle()
    assert seen["east_out__flit"] == sync((2, 1), 0, gid=1, data=2)
    sent = []
    for _ in range(PLACES + 3):
        seen = await node.cycle(east_out__credit=1)
        sent += [seen["east_out__flit"]] * seen["east_out__valid"]
    assert sent == words[PLACES : 2 * PLACES]

    node = await node_at(dut, CENTRE)  # the local input has no slots, and counts too
    for _ in range(2 * PLACES + 1):
        await node.cycle(local_in__valid=1, local_in__flit=flit((1, 2)))
    assert await node.count(Counter.OVERFLOW) == 1


@cocotb.test()
async def strays_are_taken_and_counted(dut: Any) -> None:
    """Kinds, groups, epochs, ports and classes that do not fit; nobody is released by them."""
    node = await node_at(dut, CENTRE)
    await node.set_up(0, [Port.EAST], gid=7, epoch=2, root=1)
    right = {"kind": Kind.REDUCE, "gid": 7, "epoch": 2}
    wrong = [{"kind": int(kind)} for kind in (Kind.DISTRIBUTE, Kind.GO, Kind.BROKEN)]
    wrong += [{"gid": 6}, {"gid": 255}, {"epoch": 1}, {"epoch": 3}]
    cases = [(Port.EAST, 1, {**right, **change}) for change in wrong]
    cases += [(Port.EAST, 0, right)]  # the other class
    cases += [(port, 1, right) for port in (Port.NORTH, Port.WEST, Port.SOUTH)]
    await node.cycle(start=1)
    await node.cycle(arrive=1)
    for strays, (port, turn, fields) in enumerate(cases):
        assert await node.count(Counter.STRAY) == strays
        name, word = f"{NAMES[port]}_in", sync(CENTRE, turn, **fields)
        await node.cycle(**{f"{name}__sync_valid": 1 << turn, f"{name}__flit": word})
        for seen in await node.rest():
            assert not busy_wires(seen), fields
        assert node.pins["done"] == 0, (port, turn, fields)
    word = sync(CENTRE, 1, **right)
    await node.cycle(east_in__sync_valid=2, east_in__flit=word)
    await node.cycle()
    await node.bench.settle()
    assert node.pins["released"] == 1
    assert await node.count(Counter.STRAY) == len(cases)
    for _ in range(300):
        await node.cycle(east_in__sync_valid=1, east_in__flit=sync(CENTRE, 0, kind=Kind.GO))
        await node.cycle()
    assert await node.count(Counter.STRAY) == 255


@cocotb.test()
async def malformed_requests_are_refused(dut: Any) -> None:
    """No such register, counter or word; only to be read; while valid; while busy."""
    node = await node_at(dut, CENTRE)
    await node.set_up(0, [Port.EAST, Port.SOUTH], gid=7, op=1)
    words = {w: await node.request(register_address(0, w)) for w in RegisterWord}
    assert words[RegisterWord.CONTROL] == (0, CONTROL.pack({"valid": 1, "gid": 7, "op": 1}))
    await node.cycle(start=1)
    await node.cycle(arrive=1, data=15)
    writes = [register_address(0, word) for word in RegisterWord]
    writes += [register_address(1, RegisterWord.STATUS), register_address(1, RegisterWord.RESULT)]
    writes += [register_address(2, word) for word in RegisterWord]
    writes += [COUNTER_BASE + counter for counter in range(len(Counter) + 2)]
    writes += [COUNTER_BASE - 1, 2047, 2048, 2**12 - 1]
    for refused, address in enumerate(writes):
        assert await node.count(Counter.REFUSED_WRITE) == refused
        assert await node.request(address, 0xFFFFFFFF) == (1, 0), address
    for word in RegisterWord:
        status = (0, STATUS.pack({"local": 1}))
        expected = status if word == RegisterWord.STATUS else words[word]
        assert await node.request(register_address(0, word)) == expected, word
    for address in (register_address(2, RegisterWord.CONTROL), COUNTER_BASE + 4, 2048):
        assert await node.request(address) == (1, 0)
    assert await node.count(Counter.REFUSED_WRITE) == len(writes)


@cocotb.test()
async def others_requests_are_not_answered(dut: Any) -> None:
    """The port is everybody's: only the node with the right index says anything."""
    node = await node_at(dut, CENTRE)
    for index in range(16):
        address = register_address(0, RegisterWord.CONTROL)
        await node.cycle(
            config__valid=1, config__node=index, config__address=address, config__write=1
        )
        await node.bench.settle()
        answer = node.pins.read(["config__ready", "config__error", "config__rdata"])
        ours = index == MESH.index(CENTRE)
        assert answer == {"config__ready": ours, "config__error": 0, "config__rdata": 0}


@cocotb.test()
async def a_group_of_one_is_released_at_once(dut: Any) -> None:
    """Arrive in t, fire in t + 1, release in t + 2; before ``start`` it is refused."""
    node = await node_at(dut, CENTRE)
    await node.set_up(1, [], gid=3, root=1)
    await node.cycle(arrive=2)
    assert await node.count(Counter.REFUSED_ARRIVE) == 1
    await node.cycle(start=1)
    data = 9 << SPEC.data_bits
    await node.cycle(arrive=2, data=data)
    for cycle, released in ((1, 0), (2, 2), (3, 0)):
        await node.bench.settle()
        assert node.pins["released"] == released, cycle
        await node.cycle()
    assert node.pins.read(["result", "done"]) == {"result": data, "done": 2}
    await node.cycle(arrive=3)  # register 0 is not set up
    assert await node.count(Counter.REFUSED_ARRIVE) == 2


@cocotb.test()
async def an_episode_sends_every_message_once(dut: Any) -> None:
    """Two children in, up to the parent in the west, back, and down to both in one cycle."""
    node = await node_at(dut, CENTRE)
    await node.set_up(0, [Port.EAST, Port.NORTH], gid=7, turn=1)
    await node.cycle(start=1)
    await node.cycle(arrive=1, data=1)
    word = {port: sync(CENTRE, 1 - port % 2, gid=7, data=2 << port) for port in (0, 1)}
    await node.cycle(
        east_in__sync_valid=2, east_in__flit=word[0], north_in__sync_valid=1, north_in__flit=word[1]
    )
    up = sync((0, 1), 1, kind=Kind.REDUCE, gid=7, data=7)
    seen = [busy_wires(links) for links in await node.rest(6)]
    assert [links for links in seen if links] == [{"west_out__sync_valid": 2, "west_out__flit": up}]
    assert seen[1], "in its slots in t + 1, merged there, sent in t + 2"

    back = sync(CENTRE, 0, kind=Kind.DISTRIBUTE, gid=7, data=13)
    await node.cycle(west_in__sync_valid=1, west_in__flit=back)
    seen = [busy_wires(links) for links in await node.rest(6)]
    down = {
        "east_out__sync_valid": 1,
        "east_out__flit": sync((2, 1), 0, kind=Kind.DISTRIBUTE, gid=7, data=13),
        "north_out__sync_valid": 2,
        "north_out__flit": sync((1, 2), 1, kind=Kind.DISTRIBUTE, gid=7, data=13),
    }
    assert [links for links in seen if links] == [down]
    assert seen[1], "in its slot in t + 1, used there, sent on in t + 2"
    assert node.pins.read(["result", "done"]) == {"result": 13, "done": 1}
    assert await node.count(Counter.STRAY) == 0

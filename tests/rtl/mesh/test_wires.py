# amaranth: UnusedElaboratable=no
"""Whole nodes with barrier wires: beside packets, beside messages, alone, and set up by packets."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from syncfabric.models.messages import (
    CONTROL,
    MANAGER_BASE,
    MANAGER_COMMAND,
    MANAGER_STATUS,
    NODE_WORD,
    REQUEST,
    Counter,
    ManagerState,
    ManagerWord,
    RegisterWord,
    Request,
)
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.unit import observe_bits
from syncfabric.rtl.mesh.node import MeshNode
from syncfabric.rtl.mesh.wire_node import WireNode
from tests.rtl.mesh.whole import Driver, drive
from tests.rtl.support import SEED, ports

EAST, NORTH, WEST, SOUTH, MEMBER = range(5)
TREE, COMMAND, STATUS, RESULT = 1, 4, 5, 7
KILL = 2
SLOT = 20
"""Where a request's image word names the slot."""

TREES = {
    # By node of a 2x2 mesh, the root in the south-west: parent, children, root.
    0: (0, (MEMBER, EAST, NORTH), True),
    1: (WEST, (MEMBER,), False),
    2: (SOUTH, (MEMBER, EAST), False),
    3: (WEST, (MEMBER,), False),
}
LONGEST = 2


def network(**options: Any) -> MeshSpec:
    table = {"kind": "mesh", "width": 2, "height": 2, "barrier_registers": 2, "data_bits": 3}
    return MeshSpec.model_validate({**table, **options})


def tree(node: int) -> int:
    parent, children, _ = TREES[node]
    return parent | sum(1 << port for port in children) << 4


async def set_up(net: Driver, register: int, **control: int) -> None:
    """Set a slot up at all four nodes; ``register`` is its number on the config port."""
    for node, (_, _, root) in TREES.items():
        word = CONTROL.pack({"valid": 1, "root": root, "gid": 9, **control})
        await net.write(node, 8 * register + TREE, tree(node))
        await net.write(node, 8 * register, word)


async def barrier(net: Driver, register: int, data: list[int], *, bits: int) -> dict[int, int]:
    """Let everybody arrive; return when each is released, counted from the arrival."""
    inputs = {f"arrive_{i}": 1 << register for i in range(4)}
    inputs |= {f"data_{i}": word << register * bits for i, word in enumerate(data)}
    await net.tick(**inputs)
    seen = {}
    for cycle in range(1, 30):
        for i in range(4):
            if net.get(f"released_{i}") >> register & 1:
                assert i not in seen
                seen[i] = cycle
        await net.tick()
    return seen


@pytest.mark.parametrize(
    "options",
    [
        {"sync": "wires"},
        {"sync": "wires", "channels": 0},
        {"sync": "wires", "channels": 0, "wires": "shared", "link_registers": 1, "parity": True},
        {"sync": "both", "link_registers": 2},
        pytest.param(
            {"sync": "both", "operations": "all", "sync_links": "own", "channels": 2},
            marks=pytest.mark.long,
        ),
        {"sync": "wires", "setup": "manager", "parity": True},
    ],
)
def test_a_barrier_takes_its_links_and_two(options: dict[str, Any]) -> None:
    spec = network(**options)
    first, hop = spec.first_slot, 1 + spec.link_registers

    async def act(net: Driver) -> None:
        await set_up(net, first + 1, op=2)
        assert [net.get(f"ready_{i}") for i in range(4)] == [1 << first + 1] * 4
        for data in ([1, 2, 4, 7], [5, 0, 0, 0]):
            seen = await barrier(net, first + 1, data, bits=3)
            root = 2 * LONGEST * hop + 2 - LONGEST * hop
            assert seen == {0: root, 1: root + hop, 2: root + hop, 3: root + 2 * hop}
            combined = data[0] ^ data[1] ^ data[2] ^ data[3]
            for i in range(4):
                assert net.get(f"result_{i}") == combined << 3 * (first + 1)
                assert net.get(f"done_{i}") == 1 << first + 1
                assert net.get(f"broken_{i}") == 0
                assert await net.ask(i, 8 * (first + 1) + RESULT) == (0, combined)
                assert net.shown(i) == dict.fromkeys(Counter.__members__, 0)

    drive(spec, act)


async def send_packets(net: Driver, spec: MeshSpec, slot: int | None) -> list[int]:
    """Send at random; return all wires of packets in each cycle, and what was dropped."""
    rng, seen = random.Random(f"{SEED}/packets"), []
    left: list[list[list[int]]] = [[[], []] for _ in range(4)]
    credits, releases = [[spec.buffer_flits] * 2 for _ in range(4)], 0
    for cycle in range(140):
        inputs = {}
        for i in range(4):
            for channel in range(2):
                credits[i][channel] += net.get(f"credit_{i}") >> channel & 1
            channel = rng.randrange(2)
            # In the end nobody waits for credits, and flits are lost.
            if (credits[i][channel] or cycle > 110) and rng.random() < 0.7:
                credits[i][channel] -= 1
                if not left[i][channel]:
                    left[i][channel] = packet(rng, spec)
                inputs[f"inject_{i}"] = left[i][channel].pop(0) << 2 | 1 << channel
            if slot is not None:
                inputs[f"arrive_{i}"] = 1 << slot
        seen.append(net.get("packets"))
        releases += net.get("released_3") != 0
        await net.tick(**inputs)
    assert releases > 10 or slot is None
    return seen + [net.shown(i)["OVERFLOW"] for i in range(4)]


def packet(rng: random.Random, spec: MeshSpec) -> list[int]:
    words = [spec.layout.header.pack({"x": rng.randrange(2), "y": rng.randrange(2)})]
    words += [rng.getrandbits(32) for _ in range(rng.randrange(4))]
    last = len(words) - 1
    return [
        spec.layout.flit.pack({"payload": word, "head": i == 0, "tail": i == last})
        for i, word in enumerate(words)
    ]


@pytest.mark.parametrize("other", ["wires", pytest.param("both", marks=pytest.mark.long)])
def test_packets_go_as_if_no_barrier_was_there(other: str) -> None:
    """Cycle by cycle on every link, while barriers run on wires beside them."""
    seen: dict[str, list[int]] = {}
    for sync in ("messages", other):
        spec = network(sync=sync, channels=2, buffer_flits=2)

        async def act(net: Driver, spec: MeshSpec = spec) -> None:
            slot = None
            if spec.wire_plane:
                slot = spec.first_slot
                await set_up(net, slot)
            seen[spec.sync] = await send_packets(net, spec, slot)

        drive(spec, act)
    assert seen[other] == seen["messages"]
    assert sum(seen[other][-4:]) > 5
    assert len(set(seen[other])) > 110


def test_both_kinds_are_beside_each_other_on_every_port() -> None:
    spec = network(sync="both")

    async def act(net: Driver) -> None:
        for node in range(4):
            # The register 0 of messages: everybody alone with itself.
            await net.write(node, RegisterWord.CONTROL, CONTROL.pack({"valid": 1, "root": 1}))
        await set_up(net, 2)
        addresses = (8 * 2 + 2, 8 * 2 + STATUS, 8 * 4, 8 * 2 + TREE)  # the last: it is valid
        refused = [await net.ask(0, address, 1) for address in addresses]
        assert refused == [(1, 0)] * 4
        assert [net.get(f"ready_{i}") for i in range(4)] == [0b0100] * 4
        await net.tick(start=1)
        await net.tick()
        assert [net.get(f"ready_{i}") for i in range(4)] == [0b0101] * 4
        arrivals = {f"arrive_{i}": 0b0111 for i in range(4)}
        await net.tick(**arrivals, data_0=5 | 1 << 6, data_1=6 | 2 << 6)
        assert net.shown(0) == {
            "OVERFLOW": 0, "STRAY": 0, "REFUSED_ARRIVE": 1, "REFUSED_WRITE": 4
        }  # fmt: skip
        released = [0] * 4
        for _ in range(20):
            for i in range(4):
                released[i] += net.get(f"released_{i}")
            await net.tick()
        assert released == [0b0101] * 4
        assert net.get("result_0") == 5 | 3 << 6
        assert net.get("result_1") == 6 | 3 << 6
        # Registers, slots, counters: a slot's la, up, dn, fault, done, broken, gathered, result.
        register = (observe_bits(spec) - 2 * 12 - 32) // 2
        slot = net.get("observe_1") >> 2 * register & 0xFFF
        assert slot == 1 << 4 | 2 << 6 | 3 << 9
        await net.write(0, 8 * 2, 0)
        assert net.get("ready_0") == 0b0001

    drive(spec, act)


@pytest.mark.parametrize("sync", ["wires", "both"])
def test_an_event_is_counted_from_the_next_cycle_on(sync: str) -> None:
    spec = network(sync=sync, buffer_flits=2)
    slot = spec.first_slot

    async def act(net: Driver) -> None:
        none = dict.fromkeys(Counter.__members__, 0)
        assert net.shown(1) == none
        await net.tick(arrive_1=1 << slot)
        assert net.shown(1) == none | {"REFUSED_ARRIVE": 1}
        assert await net.ask(1, 8 * slot + STATUS, 1) == (1, 0)
        assert net.shown(1) == none | {"REFUSED_ARRIVE": 1, "REFUSED_WRITE": 1}

        # Node 0 becomes a root by itself. Its wires are driven on all links, so its pulse comes
        # to the kids of the old tree, too, which have not asked for it.
        await set_up(net, slot)
        await net.write(0, 8 * slot + COMMAND, KILL)
        await net.write(0, 8 * slot + TREE, 1 << MEMBER << 4)
        await net.write(0, 8 * slot, CONTROL.pack({"valid": 1, "root": 1}))
        strays = []
        await net.tick(arrive_0=1 << slot)
        for _ in range(3):  # la, then dn, then what comes of it
            strays.append([net.shown(i)["STRAY"] for i in range(4)])
            await net.tick()
        assert strays == [[0] * 4, [0] * 4, [0, 1, 1, 0]]
        assert await net.ask(1, 8 * slot + STATUS) == (0, 1 << 3)

        # Without its tail the packet of node 0 keeps node 1 from sending to itself.
        flit = spec.layout.flit.pack({"payload": 1, "head": 1, "tail": 0})
        body = spec.layout.flit.pack({"payload": 1, "head": 0, "tail": 0})
        counts = []
        for i in range(9):
            await net.tick(inject_0=(body if i else flit) << 1 | 1)
        before = net.shown(1)["OVERFLOW"]
        for i in range(4):
            await net.tick(inject_1=(body if i else flit) << 1 | 1)
            counts.append(net.shown(1)["OVERFLOW"] - before)
        assert counts == [0, 0, 1, 2], "dropped in the third and fourth cycle"

    drive(spec, act)


async def manage(net: Driver, entries: Sequence[tuple[int, ...]], operation: Request) -> int:
    """Let the manager at node 0 send requests; return its state when it is done."""
    await net.write(0, MANAGER_BASE + ManagerWord.POINTER, 0)
    for entry in entries:
        for word in entry:
            await net.write(0, MANAGER_BASE + ManagerWord.DATA, word)
    command = MANAGER_COMMAND.pack({"operation": operation, "count": len(entries)})
    await net.write(0, MANAGER_BASE + ManagerWord.COMMAND, command)
    for _ in range(200):
        _, status = await net.ask(0, MANAGER_BASE + ManagerWord.STATUS)
        state = MANAGER_STATUS.unpack(status)["state"]
        if state != ManagerState.RUNNING:
            return state
    raise AssertionError("the manager does not come to an end")


def requests(spec: MeshSpec, slot: int, **fields: int) -> list[tuple[int, ...]]:
    """Return a manager's entries for the tree over all four nodes."""
    return [
        (
            spec.layout.header.pack({"x": node % 2, "y": node // 2}),
            REQUEST.pack({"gid": 9, "root": TREES[node][2], **fields}),
            tree(node) | slot << SLOT,
        )
        for node in reversed(TREES)
    ]


@pytest.mark.parametrize("end", [Request.CLEAR, Request.KILL])
def test_a_manager_sets_slots_up_by_packets_and_takes_them_back(end: Request) -> None:
    spec = network(sync="wires", setup="manager", managers=[[0, 0]])

    async def act(net: Driver) -> None:
        assert await manage(net, requests(spec, 1), Request.SETUP) == ManagerState.DONE
        assert [net.get(f"ready_{i}") for i in range(4)] == [0b10] * 4
        seen = await barrier(net, 1, [1, 2, 3, 4], bits=3)
        assert max(seen.values()) == 2 * LONGEST + 2
        assert len(seen) == 4
        # All but node 3 wait when the slots are taken back; they are told.
        await net.tick(**{f"arrive_{i}": 0b10 for i in range(3)})
        assert await manage(net, requests(spec, 1), end) == ManagerState.DONE
        assert [net.get(f"broken_{i}") for i in range(4)] == [0b10] * 3 + [0]
        assert [net.get(f"ready_{i}") for i in range(4)] == [0] * 4
        assert await manage(net, requests(spec, 0, gid=7), Request.SETUP) == ManagerState.DONE
        assert [net.get(f"ready_{i}") for i in range(4)] == [0b01] * 4
        # A word that the manager has not is refused and counted with the slots'.
        assert await net.ask(0, MANAGER_BASE + ManagerWord.STATUS, 1) == (1, 0)
        assert await net.count(0, Counter.REFUSED_WRITE) == 1

    drive(spec, act)


def test_beside_messages_slots_are_not_the_managers() -> None:
    spec = network(sync="both", setup="manager", managers=[[0, 0]])

    async def act(net: Driver) -> None:
        place = NODE_WORD.pack({"present": 1})
        entries = [(0, REQUEST.pack({"gid": 9, "root": 1, "fire": 1}), place, 0, 0, 0, 0)]
        assert await manage(net, entries, Request.SETUP) == ManagerState.DONE
        assert net.get("ready_0") == 0b0001
        await set_up(net, 3)
        assert [net.get(f"ready_{i}") for i in range(4)] == [0b1001, 8, 8, 8]
        assert len(await barrier(net, 3, [0] * 4, bits=3)) == 4
        # The group with the same number is a slot's: the manager does not know it.
        assert await manage(net, entries, Request.CLEAR) == ManagerState.DONE
        assert [net.get(f"ready_{i}") for i in range(4)] == [8] * 4

    drive(spec, act)


def test_ports() -> None:
    spec = network(sync="wires", channels=2, setup="manager", wires="shared", parity=True)
    found = ports(WireNode(spec))
    assert found["west_in__wires"] == ("in", 2 + 2 * 3 + 1)
    assert found["west_out__wires"] == ("out", 2 + 2 * 3 + 1)
    assert found["west_out__valid"] == ("out", 3)
    assert found["local_in__valid"] == ("in", 2)
    assert found["broken"] == ("out", 2)
    assert not {"west_out__sync_valid", "west_out__sync_credit", "last"} & found.keys()

    spec = network(sync="wires", channels=0)
    found = ports(WireNode(spec))
    links = {name for name in found if "__" in name and not name.startswith("config")}
    assert links == {f"{port.name.lower()}_{way}__wires" for port in tuple(Port)[:4]
                     for way in ("in", "out")}  # fmt: skip
    assert {"x", "y", "index", "start"} <= found.keys()
    assert found["observe"] == ("out", observe_bits(spec)) == ("out", 2 * (6 + 2 * 3) + 32)

    spec = network(sync="both", setup="manager")
    found = ports(MeshNode(spec))
    for name in ("arrive", "last", "ready", "released", "done", "broken"):
        assert found[name][1] == 4, name
    assert found["data"] == ("in", 12)
    assert found["result"] == ("out", 12)
    assert found["north_in__wires"] == ("in", 4 + 4 * 3)
    assert found["north_in__sync_valid"] == ("in", 2)
    assert "broken" not in ports(MeshNode(network()))

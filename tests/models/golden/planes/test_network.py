"""Networks of nodes: latencies, barriers under packets, and check bits."""

import random
from typing import Any

import pytest

from syncfabric.models.golden.engine import Message
from syncfabric.models.golden.transport.wires import Forward
from syncfabric.models.layout.engine import EngineLayout, Kind
from syncfabric.models.layout.network import RouterWord
from tests.models.golden.engine_nets import centre
from tests.models.golden.node_bench import Mesh, Packets, play_barriers

COUNTED = (RouterWord.OVERFLOW, RouterWord.CORRUPT, RouterWord.LOST)
PLAIN = EngineLayout(4, True, 2, 0, "none")
ROUTED = EngineLayout(4, True, 2, 0, "none", 2, 2)


def latency(side: int, stages: int, **options: Any) -> int:
    """Return the cycles of a barrier of all, from the farthest member's arrival on."""
    net = Mesh(side, PLAIN, stages, **options)
    root, radius = centre(net.graph, range(side * side))
    tree = net.shortest(root, range(side * side))
    net.set_up(range(side * side), root, tree)
    net.go(root)
    net.run(100 + 20 * radius * stages)
    assert all(len(found) == 1 for found in net.released.values())
    far = max(tree, key=lambda n: abs(n % side - root % side) + abs(n // side - root // side))
    for n in range(side * side):
        if n != far:
            net.arrive[n] = Message(0, 1, Kind.PLAIN)
    net.run(20 * radius)
    net.arrive[far] = Message(0, 1, Kind.PLAIN)
    begin = net.network.now
    net.run(20 * radius)
    assert all(len(found) == 2 for found in net.released.values())
    return max(found[1][0] for found in net.released.values()) - begin


@pytest.mark.parametrize(("stages", "cycles"), [(1, 18), (2, 35)])
def test_e11_latency_of_all_of_8x8_on_own_links(stages: int, cycles: int) -> None:
    assert latency(8, stages) == cycles


@pytest.mark.parametrize(("stages", "registers"), [(1, 3), (2, 0), (2, 1), (3, 2), (4, 1)])
def test_e11_latency_with_registers_on_links(stages: int, registers: int) -> None:
    expected = 2 * 4 * (stages + registers) + (2, 3, 3, 4)[stages - 1]
    assert latency(4, stages, link_registers=registers) == expected
    if stages > 1:
        keys = {"transport": "shared", "channels": 1, "link_registers": registers}
        expected -= stages == 2  # the register of two stages is before the link
        assert latency(4, stages, **keys) == expected
        keys["output_register"] = True
        assert latency(4, stages, **keys) == expected + 2 * 4


@pytest.mark.parametrize("transport", ["own", "shared", "routed"])
@pytest.mark.parametrize(("registers", "check_bits"), [(0, 0), (0, 8), (1, 0), (3, 8)])
def test_barriers_and_packets(transport: str, registers: int, check_bits: int) -> None:
    """Nothing is early, lost or out of order, and nothing is counted."""
    rng = random.Random(f"{transport} {registers} {check_bits}")
    net = Mesh(
        4,
        ROUTED if transport == "routed" else PLAIN,
        1 if transport == "own" else 2,
        transport=transport,
        channels=rng.randint(1, 2),
        buffer_flits=rng.choice((1, 2, 4)),
        output_register=rng.random() < 0.5,
        link_registers=registers,
        check_bits=check_bits,
    )
    members = rng.sample(range(16), rng.randint(4, 16))
    if transport == "routed":
        tree = net.routed_tree(members, rng)
        members = [members[0], *tree]
    else:
        tree = net.shortest(members[0], members)
    net.set_up(members, members[0], tree)
    net.go(members[0])
    packets = Packets(net, rng, 0.3)
    net.on_step = packets.take

    def step() -> None:
        packets.drive()
        net.step()

    for _ in range(120):
        step()
    assert all(len(net.released[n]) == 1 for n in members)
    play_barriers(net, members, 4, rng, step)
    packets.busy = 0.0
    for _ in range(600):
        step()
    assert packets.arrived > 20
    assert not any(packets.orders.values())
    for node in net.nodes:
        assert [node.words.counter(word) for word in COUNTED] == [0, 0, 0]


@pytest.mark.parametrize("transport", ["own", "shared", "routed"])
def test_flips_of_a_message_never_release(transport: str) -> None:
    """Each of 1 or 2 wires of the last member's message: it is dropped and counted."""
    layout = EngineLayout(4, True, 2, 0, "none", 1, 1) if transport == "routed" else PLAIN
    rng, some = (
        random.Random(transport),
        Mesh(2, layout, 2, transport=transport, channels=1, check_bits=8),
    )
    form = some.nodes[1].ends[2].form
    assert form.width > 20
    pairs = [(i, j) for i in range(form.width) for j in range(i + 1)]
    for i, j in [(i, i) for i in range(form.width)] + rng.sample(pairs, 60):
        net = Mesh(2, layout, 2, transport=transport, channels=1, check_bits=8)
        net.set_up([0, 1], 0, {1: (0, 2, 0, 0)})
        net.go(0)
        net.run(20)
        net.arrive = {0: Message(0, 1, Kind.PLAIN), 1: Message(0, 1, Kind.PLAIN)}
        for _ in range(20):
            _, sent = form.unpack(net.nodes[1].wires()[0][2])
            if sent:
                break
            net.step()
        assert sent
        net.step({(1, 2): 1 << i | 1 << j})
        net.run(20)
        corrupt = net.nodes[0].words.counter(RouterWord.CORRUPT)
        wires = form.flip(Forward(), 1 << i | 1 << j)
        apart = transport == "own" and wires[2:5] == (0, 0, 0)
        if apart and not wires.message_check:
            assert all(len(net.released[n]) == 2 for n in (0, 1))
        else:
            assert all(len(net.released[n]) == 1 for n in (0, 1)), (i, j)
        assert corrupt >= 1

"""Barriers on whole networks: their latency, their ends, and what is beside them."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.router import Router
from syncfabric.models.layout.engine import Code
from syncfabric.models.layout.network import Place
from syncfabric.models.layout.words import PortWord, RouterWord, config_address
from syncfabric.models.networks import reader
from syncfabric.models.traffic import rate_word
from tests.models.golden.planes.nets import (
    Group,
    command,
    draw_group,
    draw_irregular,
    draw_mesh,
    irregular,
    mesh,
)
from tests.models.golden.planes.network_bench import Bench


def all_of(bench: Bench, root: int) -> Group:
    """Return the group of all nodes, with its root at a node's router."""
    nodes = range(len(bench.shape.nodes))
    return draw_group(bench.shape, random.Random(1), 0, [root, *(i for i in nodes if i != root)])


@pytest.mark.parametrize(("side", "cycles"), [(4, 10), (8, 18), (16, 34)])
def test_e11_all_of_a_mesh_on_own_links(side: int, cycles: int) -> None:
    """From the last ``arrive_valid``, a cycle after ``arrive``: 2 L + 2."""
    bench = Bench(mesh(side, side))
    root = side // 2 * side + side // 2
    group = all_of(bench, root)
    bench.by_host(group)
    latency, _ = bench.barrier(group, late=0)  # the farthest corner
    assert latency == cycles + 1


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("registers", [0, 2])
def test_e11_with_stages_and_registers(stages: int, registers: int) -> None:
    bench = Bench(mesh(4, 4, engine_stages=stages, link_registers=registers))
    group = all_of(bench, 10)
    bench.by_host(group)
    latency, _ = bench.barrier(group, late=0)
    interval = stages - (stages > 2)
    assert latency == 2 * 4 * (stages + registers) + interval + 2


def chain(routers: int, **keys: Any) -> Bench:
    """Routers in a row, with a node at each."""
    links: list[tuple[Place, Place]] = [((n, 0), (n + 1, 1)) for n in range(routers - 1)]
    return Bench(irregular(links, [(n, 2) for n in range(routers)], 3, **keys))


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
@pytest.mark.parametrize("shared", [False, True])
def test_latency_with_node_interfaces(stages: int, shared: bool) -> None:
    """The message passes L + 1 routers up and L more down, with L links between routers."""
    if shared and stages == 1:
        return
    keys = {"engine_stages": stages, "link_registers": 1}
    bench = chain(5, message_links="shared" if shared else "own", **keys)
    group = all_of(bench, 0)
    bench.by_host(group)
    latency, _ = bench.barrier(group, late=4)
    assert latency == stages * (2 * 4 + 1) + 2 * 4 + 2


@pytest.mark.parametrize(("places", "free"), [(33, True), (32, False)])
def test_places_that_keep_the_longest_link_busy(places: int, free: bool) -> None:
    """A flit a cycle over 15 registers: its place is needed again 2 · 15 + 3 cycles later."""
    network = replace(chain(2, buffer_flits=places, longest_link=15).shape, extra=(15,))
    bench, flits, lane = Bench(network), 200, 0  # of the link from port 0 of router 0
    bench.net.put(0, [network.header_of(network.nodes[1]), *range(flits - 1)])
    sent: list[int] = []
    for _ in range(4 * flits):
        record = bench.step()
        sent += [bench.now] if record and record.valid >> lane & 1 else []
    assert len(sent) == flits
    assert (sent[-1] - sent[0] == flits - 1) == free


@pytest.mark.parametrize("seed", range(10))
def test_results_are_the_combination_of_all(seed: int) -> None:
    rng = random.Random(seed)
    shape = (draw_mesh if seed % 2 else draw_irregular)(rng)
    if shape.router.watchdog or not shape.router.data_bits:
        return
    bench, bits = Bench(shape), shape.router.data_bits
    group = draw_group(shape, rng, 0)
    group.op = 0  # OR
    bench.by_host(group)
    for _ in range(3):
        data = {i: rng.getrandbits(bits) & rng.getrandbits(bits) for i in group.members}
        _, results = bench.barrier(group, data)
        expected = 0
        for word in data.values():
            expected |= word
        assert set(results) == {expected}


def test_groups_end_by_last_and_by_kill() -> None:
    bench = chain(4)
    group = all_of(bench, 1)
    bench.by_host(group)
    bench.barrier(group, last=[0, 1, 2])
    assert all(bench.alive(n, 0) for n in range(4))
    bench.barrier(group, last=range(4))
    bench.quiesce()
    assert not any(bench.alive(n, 0) for n in range(4))
    assert not any(bench.net.ready(i, 0) for i in range(4))
    bench.by_host(group)
    kills = [command(bench.shape, n, Code.KILL, 0, group.epoch[n]) for n in range(4)]
    errors = [bench.ask(kill)[0] for kill in kills]
    assert not errors[0]
    bench.quiesce()
    assert not any(bench.alive(n, 0) for n in range(4))
    assert all(bench.net.broken(i, 0) for i in range(4))


def test_a_watchdog_breaks_a_barrier_that_waits() -> None:
    bench = Bench(mesh(3, 3, watchdog=50, groups=2))
    group = all_of(bench, 4)
    bench.by_host(group)
    assert bench.net.idle_until() is None  # nothing waits
    bench.step(arrive={(i, 0): 0 for i in range(8)})
    start = bench.now
    bench.quiesce()
    assert start + 2 * 50 <= bench.now <= start + 2 * 2 * 50 + 40
    assert all(bench.net.broken(i, 0) for i in range(9))


def test_refused_arrivals_are_counted_at_their_target() -> None:
    for bench in (Bench(mesh(2, 2)), chain(3)):
        address = config_address(PortWord.REFUSED_ARRIVE)
        bench.step(arrive={(1, 0): 0})
        bench.step(arrive={(1, 0): 0, (2, 3): 0})
        assert [bench.counted(i, address) for i in range(3)] == [0, 2, 1]


@pytest.mark.parametrize("routers", [2, 5])
def test_the_chain_answers_after_its_hops(routers: int) -> None:
    """There and back are a cycle a hop, and each target's answer has its own."""
    bench = chain(routers)
    targets = bench.shape.targets
    assert targets == 2 * routers
    address = config_address(RouterWord.OVERFLOW)
    bench.run(100)
    for target in range(targets + 1):
        start = bench.now
        at = address if target >= routers else config_address(PortWord.REFUSED_ARRIVE)
        error, _ = bench.ask(ConfigRequest(target, at, False))
        assert error == (target == targets)
        waited = bench.now - 1 - start
        assert waited == (2 * targets + 1 if target == targets else 2 * target + 3)
    bench.step(config=ConfigRequest(0, 0, False))
    with pytest.raises(ValueError, match="before the last one's answer"):
        bench.step(config=ConfigRequest(0, 0, False))


@pytest.mark.parametrize("kind", ["mesh", "irregular"])
def test_packets_come_where_they_are_to(kind: str) -> None:
    seen = []

    class Observer:
        def packet(self, source: int, to: int, created: int, injected: int, ejected: int) -> None:
            assert created < injected < ejected
            seen.append((source, to))

    rng = random.Random(kind)
    shape = mesh(3, 4) if kind == "mesh" else None
    while shape is None or not shape.router.channels or (kind != "mesh" and shape.routers < 4):
        shape = draw_irregular(rng)
    bench = Bench(shape)
    bench.net = type(bench.net)(shape, observer=Observer())
    bench.step(load=5)
    bench.run(64)
    for _ in range(300):
        bench.step(enable=True, rate=rate_word(0.1))
    bench.quiesce()
    assert bench.net.is_empty()
    assert len(seen) > 20
    bench.net.put(1, [shape.header_of(shape.nodes[0]), 5], 0)
    assert not bench.net.is_empty()
    bench.quiesce()
    assert seen[-1] == (1, 0)
    assert all(bench.counted(shape.target_of(n), 32 + 16) == 0 for n in range(shape.routers))


def test_datelines_take_packets_over() -> None:
    """A ring whose packets all go on in channel 1 behind a dateline at router 0's output."""
    links: list[tuple[Place, Place]] = [((n, 0), ((n + 1) % 4, 1)) for n in range(4)]
    keys = {"channels": 2, "flit_bits": 16}
    shape = irregular(links, [(n, 2) for n in range(4)], 3, (), [(0, 0)], **keys)
    bench = Bench(shape)
    bench.net.put(0, [shape.header_of(shape.nodes[1]), 5], 0)
    bench.net.put(1, [shape.header_of(shape.nodes[2]), 5], 0)
    bench.quiesce()
    lanes = {
        lane
        for record in bench.records.values()
        for lane in range(record.valid.bit_length())
        if record.valid >> lane & 1
    }
    width, ports = 3, 3
    assert (0 * ports + 0) * width + 1 in lanes
    assert (1 * ports + 0) * width + 0 in lanes
    with pytest.raises(ValueError, match="flits on channel 2"):
        bench.net.put(0, [0], 2)


@pytest.mark.parametrize(
    ("topology", "escapes"),
    [
        *(("mesh-4x4", True), ("torus-4x4", True), ("hypercube-16", True)),
        *(("mesh-4x4", False), ("torus-6x6", False)),
    ],
)
def test_escape_channels_keep_adaptive_packets_moving(
    topology: str, escapes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without them, as many packets as can be stop each other for good."""
    if not escapes:

        def waits(router: Router[object], escape: int, others: Sequence[int]) -> int:
            return next((o for o in others if router.tokens[o]), others[-1])

        monkeypatch.setattr(Router, "_chosen", waits)
    head = f'name = "a"\n[network]\nkind = "irregular"\ntopology = "{topology}"\n'
    keys = 'routing = "adaptive"\nbuffer_flits = 1\nsetup = "local"\n'
    bench = Bench(reader.loads(head + keys).message_network.shape)
    bench.step(load=5)
    bench.run(64)
    for _ in range(400):
        bench.step(enable=True, rate=rate_word(1.0))
    for _ in range(4000):
        bench.step()
    assert bench.net.is_empty() == escapes
    last = max(cycle for cycle, record in bench.records.items() if record.valid)
    assert escapes or last < bench.now - 1000

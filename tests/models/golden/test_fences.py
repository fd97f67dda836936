"""Links that are dead, and closed at the ends that live: docs/microarchitecture-faults.md, F7."""

import random
from typing import Any

import pytest

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import COUNTER_BASE, FENCE, LinkCounter
from tests.models.golden import irregular_bench
from tests.models.golden.faulty_run import H, Run, guarded_links, irregular_run, mesh_run


def make(kind: str, rng: random.Random, **options: Any) -> Run:
    if kind == "mesh":
        return mesh_run(rng, 3, 3, 2, **{"buffer_flits": 2, **options})
    network = irregular_bench.line(
        3, check_bits=8, watchdog=H, **{"buffer_flits": 2, "operations": "all", **options}
    )
    return irregular_run(rng, network, 2)


def ask(run: Run, place: int, address: int, data: int | None = None) -> int | None:
    model = run.model
    model.step(config=ConfigRequest(place, address, data is not None, data or 0))
    while not model.config_answer[0]:
        model.step()
    _, error, answer = model.config_answer
    return None if error else answer


def ends_of(run: Run, place: int) -> list[tuple[int, int, int, int]]:
    """Return (port, place beyond, its port, link) of a place's ports that lead anywhere."""
    model, found = run.model, []
    for port, (away, _) in enumerate(model.port_links(place)):
        ends = model.ends(away)
        if ends is not None:
            beyond = [towards for _, towards in model.port_links(ends[1])]
            found.append((port, ends[1], beyond.index(away), away))
    return found


def fence(run: Run, place: int, port: int) -> None:
    fences = ask(run, place, FENCE)
    assert fences is not None
    assert ask(run, place, FENCE, fences | 1 << port) == 0


def kill(run: Run, links: list[int], cycle: int) -> None:
    run.model.inject(Fault(cycle, link, FaultKind.DEAD) for link in links)


@pytest.mark.parametrize("kind", ["mesh", "irregular"])
def test_the_word(kind: str) -> None:
    run = make(kind, random.Random(1))
    places = range(len(run.model._places))
    for place in places:
        mask = (1 << len(run.model.port_links(place))) - 1
        assert ask(run, place, FENCE) == 0
        assert ask(run, place, FENCE, 0xFFFF_FFFF) == 0
        assert ask(run, place, FENCE) == mask
        assert ask(run, place, FENCE, 0) == 0
        assert ask(run, place, FENCE) == 0
    plain = mesh_run(random.Random(1), 2, 2, 0, check_bits=0)
    assert ask(plain, 0, FENCE) is None
    assert ask(plain, 0, FENCE, 1) is None


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("mesh", {}),
        ("mesh", {"sync_links": "own", "channels": 2}),
        ("irregular", {}),
        ("irregular", {"operations": "bitwise", "cycles_per_hop": 1}),
    ],
)
def test_a_dead_link_that_is_closed_holds_nobody_up(kind: str, options: dict[str, Any]) -> None:
    """With packets and barriers on it when it dies: all credits are back, no buffer is held."""
    rng = random.Random(f"{kind} {options}")
    run = make(kind, rng, **options)
    centre = 4 if kind == "mesh" else len(run.model.network.topology.nodes) + 1
    port, beyond, port_beyond, link = rng.choice(ends_of(run, centre))
    back = run.model.port_links(beyond)[port_beyond][0]
    kill(run, [link, back], run.model.cycle + rng.randrange(60, 90))
    run.go(rng, 110, rate=0.6)
    with pytest.raises(AssertionError, match="a channel is stuck"):
        run.drain()
    fence(run, centre, port)
    fence(run, beyond, port_beyond)
    run.drain()
    # What goes there now vanishes, and holds nobody up either.
    run.judge.since.clear()
    run.go(rng, 110, rate=0.6)
    run.drain()


def test_a_dead_router_is_closed_off_from_its_neighbours() -> None:
    rng = random.Random(3)
    run = make("mesh", rng)
    ends = ends_of(run, 4)
    run.silent = {4}
    links = [link for link in guarded_links(run.model) if 4 in (run.model.ends(link) or ())]
    kill(run, links, run.model.cycle + 70)
    run.go(rng, 200, rate=0.5)
    for _, beyond, port_beyond, _ in ends:
        fence(run, beyond, port_beyond)
    for _ in range(1500):
        run.model.step()
    around = [(run.model.port_links(beyond)[port][0], beyond) for _, beyond, port, _ in ends]
    lanes = run.model.wiring.lanes
    for link, _ in around:
        first = link * lanes
        assert run.model.credits[first : first + lanes] == run.full[first : first + lanes]


def test_a_closed_link_is_silent_and_counts_nothing() -> None:
    rng = random.Random(5)
    run = make("mesh", rng)
    port, beyond, port_beyond, link = ends_of(run, 4)[0]
    fence(run, 4, port)
    fence(run, beyond, port_beyond)
    back = run.model.port_links(beyond)[port_beyond][0]
    lanes = run.model.wiring.lanes
    mask = (1 << lanes) - 1
    run.model.inject(
        Fault(run.model.cycle + i, link, FaultKind.FLIP, 1 << rng.randrange(40))
        for i in range(5, 200)
    )
    run.model.step(load=2)
    for _ in range(300):
        record = run.model.step(enable=True, rate=1 << 22)
        if record is None:
            continue
        for at in (link, back):
            assert record.valid >> at * lanes & mask == 0
            assert record.credit >> at * lanes & mask == 0
        assert not {at for at, _ in record.guards} & {link, back}
    for place in (4, beyond):
        for counter in LinkCounter:
            assert ask(run, place, COUNTER_BASE + counter) == 0


def test_a_packet_whose_rest_is_behind_a_fence_is_cut() -> None:
    """Closed in any cycle of its way: its channel is free again for packets of others."""
    for after in range(12):
        run = mesh_run(random.Random(1), 3, 1, 0, watchdog=0)
        model = run.model
        header = model.wiring.headers[2]
        model.put(0, [header, 1, 2], tail=False)
        for _ in range(after):
            model.step()
        fence(run, 1, 2)
        for _ in range(20):
            model.step()
        before = model.packets.flits_ejected
        model.put(1, [header, 7, 8])
        for _ in range(20):
            model.step()
        assert model.packets.flits_ejected == before + 3


def test_what_was_inside_goes_on_and_is_cut_then() -> None:
    """Both ends closed while a packet's first flits wait behind another's: it ends with a cut."""
    run = mesh_run(random.Random(1), 3, 1, 0, watchdog=0)
    model = run.model
    header = model.wiring.headers[2]
    model.put(1, [header, 1], tail=False)
    for _ in range(6):
        model.step()
    model.put(0, [header, 2, 3], tail=False)
    for _ in range(12):
        model.step()
    fence(run, 0, 0)
    fence(run, 1, 2)
    for _ in range(200):
        model.step()
    assert model.packets.flits_ejected == 2
    model.put(1, [4], head=False)
    for _ in range(20):
        model.step()
    # The rest of the first packet, the three flits inside, and the cut.
    assert model.packets.flits_ejected == 2 + 1 + 3 + 1

"""Nobody waits for ever at a register: docs/microarchitecture-faults.md, F5."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.mesh import MeshModel
from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.outbox import PatientOutbox
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import (
    ARRIVED,
    CONTROL,
    COUNTER_BASE,
    STATUS,
    Counter,
    RegisterWord,
    SwitchWord,
    tripped_at,
)
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.btm import build_tree
from tests.models.golden import conftest, irregular_bench
from tests.models.golden.set_up_bench import MeshBench, Release

H = 20
LEAF, ROOT = 0, 1
LOCAL, TRIPPED = 1 << 4, 1 << tripped_at(STATUS, managed=False)


def mesh(watchdog: int = H, **options: Any) -> GoldenModel:
    """Return two nodes in one group, set up."""
    made = conftest.Bench(
        MeshModel(MeshSpec(kind="mesh", width=2, height=1, watchdog=watchdog, **options))
    )
    made.model.step(start=True)
    made.add(1, [(0, 0), (1, 0)])
    return made.model


def irregular(watchdog: int = H, **options: Any) -> GoldenModel:
    """Return two nodes on two switches in one group, set up."""
    network = irregular_bench.network_of(
        2, 2, [((0, 1), (1, 0))], [(0, 0), (1, 1)], watchdog=watchdog, **options
    )
    made = irregular_bench.Bench(network)
    made.add(1, irregular_bench.tree(network, [0, 1], 0))
    return made.model


KINDS: list[tuple[Callable[..., GoldenModel], dict[str, Any]]] = [
    (mesh, {}),
    (mesh, {"barrier_pipeline": 0, "operations": "all"}),
    (irregular, {}),
    (irregular, {"cycles_per_hop": 1, "turnaround": "node"}),
    (irregular, {"operations": "all"}),
]


def ask(model: GoldenModel, node: int, address: int, data: int | None = None) -> int | None:
    """Read, or write; return the answer, None for an error."""
    model.step(config=ConfigRequest(node, address, data is not None, data or 0))
    while not model.config_answer[0]:
        model.step()
    _, error, answer = model.config_answer
    return None if error else answer


def run_to(model: GoldenModel, cycle: int) -> None:
    while model.cycle < cycle:
        model.step()


def play(
    model: GoldenModel, first: int, second: int, end: int, *, skip: bool = False
) -> dict[int, tuple[int, bool]]:
    """Let nodes 1 and 0 arrive in these cycles; return when each is released, and if broken."""
    arrivals = [(first, 1), (second, 0)]
    found: dict[int, tuple[int, bool]] = {}
    while model.cycle < end:
        for node, _, _ in model.release:
            assert node not in found
            found[node] = model.cycle, model.broken(node, 0)
            assert model.done(node, 0)
        now = {(node, 0): 1 for cycle, node in arrivals if cycle == model.cycle}
        ahead = model.idle_until()
        if skip and not now and (ahead is None or ahead > model.cycle):
            following = [c for c in (first, second, ahead or end, end) if c > model.cycle]
            model.skip(min(following) - model.cycle)
            continue
        model.step(arrive=now)
    return found


@pytest.mark.parametrize(("make", "options"), KINDS)
def test_who_waits_too_long_is_released_broken(
    make: Callable[..., GoldenModel], options: dict[str, Any]
) -> None:
    """Against the same arrivals without a watchdog: what comes in the last cycle still counts."""
    base = 5 * H
    outcomes = set()
    for begin, later in product((3, H - 1), range(0, 2 * H + 3, 1 + 2 * bool(options))):
        first, second, end = base + begin, base + begin + later, 11 * H
        plain = make(0, **options)
        run_to(plain, base)
        expected = play(plain, first, second, end)
        model = make(**options)
        run_to(model, base)
        seen = play(model, first, second, end)
        # Node 1 waits from the cycle after its arrival on; looks are in H - 1, 2 H - 1, ...
        trip = (first + 1) // H * H + H - 1 + H
        told = expected[1][0] - 1
        outcomes.add(told <= trip)
        assert seen[1] == (expected[1] if told <= trip else (trip + 1, True))
        if told <= trip:
            assert seen[0] == expected[0]
        for node, arrived in ((0, second), (1, first)):
            assert seen[node][0] - arrived - 1 <= 2 * H
            assert not seen[node][1] or seen[node][0] - arrived - 1 > H
    assert outcomes == {True, False}


@pytest.mark.parametrize(("make", "options"), KINDS)
def test_a_model_that_sleeps_wakes_for_the_watchdog(
    make: Callable[..., GoldenModel], options: dict[str, Any]
) -> None:
    for later in (1, 500):
        stepped, slept = make(**options), make(**options)
        for model in (stepped, slept):
            run_to(model, 5 * H)
        times = (5 * H + 4, 5 * H + 4 + later, 40 * H)
        assert play(stepped, *times) == play(slept, *times, skip=True)
        assert slept.idle_until() is None
        assert [slept.observe(node) for node in (0, 1)] == [
            stepped.observe(node) for node in (0, 1)
        ]


@pytest.mark.parametrize("operations", ["bitwise", "all"])
def test_a_trip_shows_and_the_way_back_is_word_0(operations: str) -> None:
    model = mesh(operations=operations)
    run_to(model, 4 * H)
    model.step(arrive={(LEAF, 0): 1})
    run_to(model, 7 * H)
    assert (model.done(LEAF, 0), model.broken(LEAF, 0), model.ready(LEAF, 0)) == (True, True, False)
    status = ask(model, LEAF, RegisterWord.STATUS)
    fired = STATUS.pack({"fired": 1})
    assert status == TRIPPED | LOCAL | fired
    assert ask(model, LEAF, COUNTER_BASE + Counter.STRAY) == 1
    assert model.observe(LEAF) & (1 << STATUS.width + 1) - 1 == status
    # Arrives are refused, and so is every word but the first.
    model.step(arrive={(LEAF, 0): 1})
    assert ask(model, LEAF, COUNTER_BASE + Counter.REFUSED_ARRIVE) == 1
    assert ask(model, LEAF, RegisterWord.PARENT, 0) is None
    # The root fires late: what it tells is astray.
    model.step(arrive={(ROOT, 0): 1})
    run_to(model, 8 * H)
    assert (model.done(ROOT, 0), model.broken(ROOT, 0)) == (True, False)
    assert ask(model, LEAF, COUNTER_BASE + Counter.STRAY) == 2
    control = ask(model, LEAF, RegisterWord.CONTROL)
    assert ask(model, LEAF, RegisterWord.CONTROL, control) == 0
    assert ask(model, LEAF, RegisterWord.STATUS) == 0
    assert (model.ready(LEAF, 0), model.broken(LEAF, 0), model.done(LEAF, 0)) == (
        True,
        False,
        False,
    )
    begin = model.cycle
    assert {n: broken for n, (_, broken) in play(model, begin, begin, begin + 15).items()} == {
        0: False,
        1: False,
    }


def test_a_root_that_trips_knows_who_has_come() -> None:
    model = mesh()
    run_to(model, 4 * H)
    model.step(arrive={(ROOT, 0): 1})
    run_to(model, 7 * H)
    assert model.broken(ROOT, 0)
    assert ask(model, ROOT, RegisterWord.STATUS) == TRIPPED | LOCAL
    # It takes nothing any more: the REDUCE that comes now is astray, and nobody is released.
    model.step(arrive={(LEAF, 0): 1})
    run_to(model, 8 * H)
    assert ask(model, ROOT, RegisterWord.STATUS) == TRIPPED | LOCAL
    assert ask(model, ROOT, COUNTER_BASE + Counter.STRAY) == 2


@pytest.mark.parametrize("turnaround", ["switch", "node"])
def test_node_interfaces_trip_and_switches_do_not(turnaround: str) -> None:
    model = irregular(turnaround=turnaround)
    run_to(model, 4 * H)
    model.step(arrive={(0, 0): 1})
    run_to(model, 7 * H)
    tripped = 1 << tripped_at(ARRIVED, managed=False)
    fired = ARRIVED.pack({"fired": 1}) if turnaround == "switch" else 0
    assert ask(model, 0, SwitchWord.ARRIVED) == tripped | fired | 0b10
    assert ask(model, 0, COUNTER_BASE + Counter.STRAY) == 1
    for switch in (2, 3):
        assert (ask(model, switch, SwitchWord.ARRIVED) or 0) & tripped == 0
        assert ask(model, switch, COUNTER_BASE + Counter.STRAY) == 0
    control = ask(model, 0, SwitchWord.CONTROL)
    assert ask(model, 0, SwitchWord.CONTROL, control) == 0
    assert ask(model, 0, SwitchWord.ARRIVED) == 0


def managed() -> MeshBench:
    network = MeshSpec(kind="mesh", width=2, height=1, setup="manager", watchdog=60, data_bits=0)
    made = MeshBench(network)
    made.set_up(build_tree(((0, 0), (1, 0))), 3)
    return made


def test_kill_buries_a_tripped_register_and_releases_nobody_again() -> None:
    made = managed()
    register = made.place(3, 0)
    made.arrive(3, [0])
    while made.model.cycle % 60 or len(made.released) < 1:
        made.step()
    assert made.released == [(0, register, 0, True)]
    at = 8 * register + RegisterWord.STATUS
    tripped = 1 << tripped_at(STATUS, managed=True)
    assert (made.request(0, at) or 0) & (tripped | LOCAL) == tripped | LOCAL
    assert made.kill(0, register) == 0
    made.settle()
    assert len(made.released) == 1
    assert made.model.holder(0, 3) is None
    assert (made.request(0, at) or 0) & (tripped | LOCAL) == 0
    assert (made.request(0, 8 * register) or 0) & CONTROL.pack({"valid": 1}) == 0
    assert made.model.broken(0, register)


def test_a_register_that_dies_does_not_trip() -> None:
    """KILL in every cycle around the trip: released once, with broken, and counted at most once."""
    for offset in range(-3, 3):
        made = managed()
        register = made.place(3, 0)
        while made.model.cycle % 60:
            made.step()
        made.arrive(3, [0])
        trip = made.model.cycle - 1 + 60 + 59
        while made.model.cycle < trip + offset:
            made.step()
        made.step(config=made.kill_request(0, register))
        for _ in range(100):
            made.step()
        released: list[Release] = made.released
        assert released == [(0, register, 0, True)]
        assert made.counter(0, Counter.STRAY) == (offset > 0)


def test_every_wait_counts_from_its_own_arrival() -> None:
    """A wait that one look has seen, and one that begins before the next: neither trips."""
    model = mesh()
    for look in range(5, 9):
        for offset in (-9, 2):
            run_to(model, look * H - 1 + offset)
            model.step(arrive={(LEAF, 0): 1})
            run_to(model, look * H - 1 + offset + (12 if offset < 0 else 5))
            model.step(arrive={(ROOT, 0): 1})
            for _ in range(5):
                model.step()
            assert model.done(LEAF, 0)
            assert not model.broken(LEAF, 0)


def test_who_waits_for_the_serial_combiner_waits_no_more() -> None:
    made = conftest.Bench(
        MeshModel(
            MeshSpec(kind="mesh", width=2, height=1, watchdog=1, operations="all", data_bits=4)
        )
    )
    model = made.model
    model.step(start=True)
    for gid in range(3):
        made.add(gid, [(0, 0), (1, 0)])
    model.step(arrive={(ROOT, r): 5 for r in range(3)})
    for _ in range(10):
        model.step()
    words = [ask(model, ROOT, 8 * r + RegisterWord.STATUS) for r in range(3)]
    waiting = STATUS.pack({"waiting": 1})
    assert words == [TRIPPED | LOCAL, TRIPPED | LOCAL, TRIPPED | waiting]


def test_a_trip_ends_the_turn_of_what_could_not_be_sent() -> None:
    """Behind a dead link: the REDUCE that waits for a credit is dropped, and the turn goes on."""
    model = mesh(check_bits=8)
    model.inject(Fault(model.cycle, link, FaultKind.DEAD) for link in (0, 7))
    control = ask(model, LEAF, RegisterWord.CONTROL)
    for _ in range(2):
        model.step(arrive={(LEAF, 0): 1})
        while not model.release:
            model.step()
        assert model.broken(LEAF, 0)
        model.step()
        model.step()
        assert isinstance(model, MeshModel)
        outbox = model._routers[LEAF].unit.outbox
        assert isinstance(outbox, PatientOutbox)
        assert outbox.turn.stays == 0
        assert ask(model, LEAF, RegisterWord.STATUS) == TRIPPED | LOCAL | STATUS.pack({"fired": 1})
        assert ask(model, LEAF, RegisterWord.CONTROL, control) == 0

"""Guards that nothing happens to change nothing; and set-up by packets that are cut or lost."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.manager import Manager
from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.messages import (
    MANAGER_BASE,
    MANAGER_COMMAND,
    Answer,
    Counter,
    ManagerState,
    ManagerWord,
    Request,
)
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.btm import build_tree
from tests.models.golden import irregular_bench
from tests.models.golden.faulty_run import Run, guarded_links, irregular_run, mesh_run
from tests.models.golden.set_up_bench import IrregularBench, MeshBench, SetUpBench

Seen = list[tuple[Any, ...]]


def bare(record: Record | None) -> tuple[Any, ...] | None:
    """Return what is on the wires that are there without guards, None if that is nothing."""
    if record is None or not (record.valid or record.credit or record.release):
        return None
    return record[:6]


def play(run: Run, seed: int) -> Seen:
    """Let members arrive at random, with packets beside them; return all that is on wires."""
    rng, model, seen = random.Random(seed), run.model, []
    model.step(load=4)
    waiting = sorted(run.judge.group)
    for cycle in range(400):
        arrive = {place: rng.getrandbits(3) for place in waiting if rng.random() < 0.3}
        rate = 1 << 22 if model.network.channels else 0
        record = model.step(arrive=arrive, enable=cycle < 300, rate=rate)
        waiting = [place for place in waiting if place not in arrive]
        waiting += [(node, register) for node, register, _ in model.release]
        seen.append((cycle, bare(record), list(model.release)))
    return seen


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("mesh", {}),
        ("mesh", {"sync_links": "own", "channels": 2, "barrier_pipeline": 0}),
        ("mesh", {"channels": 0}),
        ("irregular", {}),
        ("irregular", {"cycles_per_hop": 1, "operations": "all"}),
        ("irregular", {"turnaround": "node"}),
    ],
)
def test_guards_without_faults_change_nothing(kind: str, options: dict[str, Any]) -> None:
    seen = []
    for bits in (0, 8):
        rng = random.Random(str(options))
        if kind == "mesh":
            run = mesh_run(rng, 3, 2, 2, check_bits=bits, watchdog=0, **options)
        else:
            network = irregular_bench.line(3, check_bits=bits, buffer_flits=2, **options)
            run = irregular_run(rng, network, 2)
        seen.append(play(run, 7))
    assert seen[0] == seen[1]
    assert sum(len(released) for _, _, released in seen[0]) > 30


def mesh_bench(bits: int) -> tuple[SetUpBench[Any], Any]:
    network = MeshSpec(kind="mesh", width=2, height=1, setup="manager", check_bits=bits)
    return MeshBench(network), build_tree(((0, 0), (1, 0)))


def irregular_one(bits: int) -> tuple[SetUpBench[Any], Any]:
    network = irregular_bench.network_of(
        3, 2, [((0, 0), (1, 0))], [(0, 1), (1, 1)], setup="manager", check_bits=bits
    )
    return IrregularBench(network), irregular_bench.tree(network, [0, 1], 0)


BENCHES: list[Callable[[int], tuple[SetUpBench[Any], Any]]] = [mesh_bench, irregular_one]


@pytest.mark.parametrize("make", BENCHES)
def test_set_up_goes_as_without_guards(make: Callable[..., Any]) -> None:
    ends = []
    for bits in (0, 8):
        bench, group = make(bits)
        count = bench.set_up(group, 5)
        released = bench.barrier(5)
        assert bench.run(Request.CLEAR, count) == (ManagerState.DONE, Answer.OK, 0)
        ends.append((bench.model.cycle, released))
    # Guards come to rest later than the network, and nothing else differs.
    assert ends[0][1] == ends[1][1]


def strays(bench: SetUpBench[Any]) -> int:
    return sum(place.unit.counters[Counter.STRAY] for place in bench.model._places)


def test_a_reply_that_is_cut_is_none() -> None:
    flit = MeshSpec(kind="mesh", width=2, height=2, check_bits=8).layout.flit
    strays: list[int] = []
    manager = Manager(0, 1, 8, flit, lambda: strays.append(1))
    for word in (0, 0, 0):
        manager.configure(ConfigRequest(0, MANAGER_BASE + ManagerWord.DATA, True, word))
    command = MANAGER_COMMAND.pack({"operation": Request.CLEAR, "count": 1})
    manager.configure(ConfigRequest(0, MANAGER_BASE + ManagerWord.COMMAND, True, command))
    for _ in range(9):
        if manager.offer is not None:
            manager.take()
        manager.advance()
    for flags, state in (({"cut": 1}, ManagerState.RUNNING), ({}, ManagerState.DONE)):
        manager.hear(flit.pack({"tail": 1, **flags}))
        manager.advance()
        manager.advance()
        assert manager.state is state
        assert strays == [1]


def renew(bench: SetUpBench[Any], group: Any, count: int) -> None:
    """Do what software does about a group whose set-up has failed."""
    if bench.model.manager_state(bench.managers[0]) is ManagerState.RUNNING:
        bench.order(Request.ABORT, 0)
        assert bench.outcome()[:2] == (ManagerState.FAILED, Answer.ABORTED)
    for _ in range(200):
        bench.step()
    assert bench.run(Request.KILL, count)[0] is ManagerState.DONE
    for _ in range(50):
        bench.step()
    bench.enrol(group, 5)
    assert bench.run(Request.SETUP, count)[0] is ManagerState.DONE
    for _ in range(50):
        bench.step()


@pytest.mark.parametrize("make", BENCHES)
def test_set_up_survives_a_fault(make: Callable[..., Any]) -> None:
    """A wrong flit in any cycle of a set-up: after ABORT and KILL the group is set up anew."""
    bench, group = make(8)
    bench.enrol(group, 5)
    count = bench.load(group, 5)
    begin = bench.model.cycle
    bench.order(Request.SETUP, count)
    while bench.model.manager_state(bench.managers[0]) is ManagerState.RUNNING:
        bench.step()
    length = bench.model.cycle - begin
    links = guarded_links(bench.model)
    failed = stray = 0
    for after in range(1, length, 4):
        for kind in (FaultKind.FLIP, FaultKind.DROP):
            bench, group = make(8)
            bench.enrol(group, 5)
            bench.load(group, 5)
            cycle = bench.model.cycle + after
            bench.model.inject(Fault(cycle, link, kind, 1) for link in links)
            bench.order(Request.SETUP, count)
            for _ in range(length + 300):
                bench.step()
            stray += strays(bench)
            held = {node: bench.model.holder(node, 5) for node in (0, 1)}
            ready = all(r is not None and bench.model.ready(n, r) for n, r in held.items())
            failed += not ready
            if not ready:  # a packet or a reply is lost; or a GO, and then the manager is content
                renew(bench, group, count)
            assert len(bench.barrier(5)) == 2
    assert failed > 3
    assert stray

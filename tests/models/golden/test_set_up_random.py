"""Random lives under load: commands end, members hear the end, and nothing is left over."""

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from syncfabric.models.messages import Answer, Counter, ManagerState, Request
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.btm import build_tree
from tests.models.golden.irregular_bench import Group, random_network, tree
from tests.models.golden.set_up_bench import IrregularBench, MeshBench, SetUpBench

DONE, FAILED = ManagerState.DONE, ManagerState.FAILED
REGISTERS = 3


def irregular(
    rng: random.Random, hop: int, operations: str
) -> tuple[IrregularBench, Callable[[], Any]]:
    network = random_network(
        rng,
        setup="manager",
        cycles_per_hop=hop,
        operations=operations,
        turnaround=rng.choice(("switch", "node")),
        barrier_registers=REGISTERS,
        channels=rng.choice((1, 2)),
        buffer_flits=rng.choice((1, 2, 3)),
        data_bits=10,
    )
    some = rng.sample(network.nodes, rng.randint(1, min(3, len(network.nodes))))
    network = network.model_copy(update={"managers": tuple(some)})

    def group() -> Group:
        members = rng.sample(range(len(network.nodes)), rng.randint(2, len(network.nodes)))
        return tree(network, members, network.nodes[members[0]][0], rng)

    return IrregularBench(network), group


def mesh(rng: random.Random, pipeline: int, operations: str) -> tuple[MeshBench, Callable[[], Any]]:
    keys = {
        "width": rng.randint(2, 3),
        "height": rng.randint(1, 3),
        "setup": "manager",
        "flit_bits": 40,
        "barrier_pipeline": pipeline,
        "operations": operations,
        "sync_links": rng.choice(("shared", "own")),
        "barrier_registers": REGISTERS,
        "channels": rng.choice((1, 2)),
        "buffer_flits": rng.choice((1, 2, 3)),
        "data_bits": 9,
    }
    network = MeshSpec.model_validate({"kind": "mesh", **keys})
    nodes = network.mesh.nodes
    some = tuple(rng.sample(nodes, rng.randint(1, min(3, len(nodes)))))
    network = network.model_copy(update={"managers": some})
    return MeshBench(network), lambda: build_tree(rng.sample(nodes, rng.randint(2, len(nodes))))


def traffic(made: SetUpBench[Any], rng: random.Random) -> None:
    nodes = range(len(made.network.topology.nodes))
    for _ in range(rng.randrange(12)):
        source, destination = rng.sample(nodes, 2)
        made.model.sources.create(source, destination, made.model.cycle - 1)


def live(made: SetUpBench[Any], rng: random.Random, gid: int, group: Any, epoch: int) -> str:
    """Let a group live and die; return how it ended."""
    manager = rng.randrange(len(made.managers))
    made.enrol(group, gid, epoch, 0)
    count = made.load(group, gid, epoch, manager=manager)
    traffic(made, rng)
    assert made.run(Request.SETUP, count, manager) == (DONE, Answer.OK, 0)
    for _ in range(rng.randrange(3)):
        traffic(made, rng)
        made.settle()
        assert [release[3] for release in made.barrier(gid)] == [False] * len(made.members(gid))
    made.settle()
    made.released.clear()
    end = rng.choice(("last", "kill", "clear"))
    if end == "last":
        made.barrier(gid, last=True)
    if end == "kill":
        members = made.members(gid)
        waiting = rng.sample(members, rng.randrange(len(members)))
        for node in waiting:
            made.arrive(gid, [node])
            for _ in range(rng.randrange(4)):
                made.step()
        assert made.run(Request.KILL, count, manager) == (DONE, Answer.OK, 0)
        made.settle()
        assert sorted(release[0] for release in made.released) == sorted(waiting)
        assert all(release[3] for release in made.released)
        assert [made.model.holder(node, gid) for node in members] == [None] * len(members)
    else:
        assert made.run(Request.CLEAR, count, manager) == (DONE, Answer.OK, 0)
    return end


@pytest.mark.parametrize("kind", [irregular, mesh])
@pytest.mark.parametrize("option", list(product((1, 0), ("bitwise", "all"))))
def test_lives_one_after_another(kind: Any, option: tuple[int, str]) -> None:
    rng = random.Random(f"{kind.__name__}{option}")
    ends = set()
    for _ in range(8):
        first = option[0] if kind is mesh else 1 + option[0]
        made, draw = kind(rng, first, option[1])
        if len(made.network.topology.nodes) < 2:
            continue
        for number in range(4):
            ends.add(live(made, rng, 5, draw(), number % 4))
        made.settle()
        assert made.model.is_empty()
        targets = len(made.network.topology.nodes)
        targets += made.network.switches if isinstance(made, IrregularBench) else 0
        for target in range(targets):
            assert made.counter(target, Counter.OVERFLOW) == 0
            assert made.counter(target, Counter.REFUSED_ARRIVE) == 0
        for target in range(targets if kind is mesh else 0):
            assert made.model.holder(target, 5) is None
    assert ends == {"last", "kill", "clear"}

"""Random lives of more groups than there are registers: nobody is let go early, nothing is left."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from syncfabric.models.golden.network import model_of
from syncfabric.models.messages import (
    CONTROL,
    Counter,
    RegisterWord,
    SwitchWord,
    register_address,
    spill_address,
)
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.btm import build_tree
from tests.models.golden.irregular_bench import Group, random_network, tree
from tests.models.golden.many_lives import ENDS, Lives
from tests.models.golden.set_up_bench import IrregularBench, MeshBench, SetUpBench

KINDS = ("mesh", "irregular")

Drawn = tuple[SetUpBench[Any], Callable[[], Any]]


def irregular(rng: random.Random) -> Drawn:
    while True:
        network = random_network(
            rng,
            setup="manager",
            spill=True,
            cycles_per_hop=rng.choice((1, 2)),
            operations=rng.choice(("bitwise", "all")),
            turnaround=rng.choice(("switch", "node")),
            barrier_registers=rng.choice((1, 2)),
            channels=rng.choice((1, 2)),
            buffer_flits=rng.choice((1, 2, 3)),
            data_bits=10,
        )
        if len(network.nodes) > 1:
            break
    some = rng.sample(network.nodes, rng.randint(1, min(4, len(network.nodes))))
    network = network.model_copy(update={"managers": tuple(some)})

    def group() -> Group:
        members = rng.sample(range(len(network.nodes)), rng.randint(2, len(network.nodes)))
        return tree(network, members, network.nodes[members[0]][0], rng)

    return IrregularBench(network), group


def mesh(rng: random.Random) -> Drawn:
    keys = {
        "width": rng.randint(2, 3),
        "height": rng.randint(1, 3),
        "setup": "manager",
        "spill": True,
        "flit_bits": 40,
        "barrier_pipeline": rng.randrange(2),
        "operations": rng.choice(("bitwise", "all")),
        "sync_links": rng.choice(("shared", "own")),
        "barrier_registers": rng.choice((1, 2)),
        "channels": rng.choice((1, 2)),
        "buffer_flits": rng.choice((1, 2, 3)),
        "data_bits": 9,
    }
    network = MeshSpec.model_validate({"kind": "mesh", **keys})
    nodes = network.mesh.nodes
    some = tuple(rng.sample(nodes, rng.randint(1, min(4, len(nodes)))))
    network = network.model_copy(update={"managers": some})
    return MeshBench(network), lambda: build_tree(rng.sample(nodes, rng.randint(1, len(nodes))))


def draw(kind: str, rng: random.Random) -> Drawn:
    return mesh(rng) if kind == "mesh" else irregular(rng)


def targets(made: SetUpBench[Any]) -> range:
    switches = made.network.switches if isinstance(made, IrregularBench) else 0
    return range(len(made.network.topology.nodes) + switches)


def see_that_nothing_is_left(made: SetUpBench[Any], gids: int) -> None:
    """Read every register and every entry on the config port."""
    mesh = isinstance(made.network, MeshSpec)
    control = RegisterWord.CONTROL if mesh else SwitchWord.CONTROL
    states = [RegisterWord.STATUS] if mesh else [SwitchWord.ARRIVED, SwitchWord.PENDING]
    active = (1 << 12) - 1 if mesh else (1 << 17) - 1  # less what tells of a life that is over
    registers = range(made.network.barrier_registers)
    for target in targets(made):
        places = [register_address(register, control) for register in registers]
        places += [spill_address(gid, control) for gid in range(gids)]
        for place in places:
            word = made.request(target, place)
            assert word is not None
            assert not CONTROL.unpack(word)["valid"], (target, place)
            for state in states:
                word = made.request(target, place + state)
                assert word is not None
                assert not word & active
        assert made.counter(target, Counter.OVERFLOW) == 0


def live(rng: random.Random, made: SetUpBench[Any], new: Callable[[], Any], **keys: Any) -> Lives:
    """Let some groups live and end; return what they did."""
    lives = Lives(made, new, rng, rng.randint(3, 7), **keys)
    lives.run(4)
    see_that_nothing_is_left(made, lives.gids)
    return lives


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [25, pytest.param(250, marks=pytest.mark.long)])
def test_lives_of_all_kinds(kind: str, count: int) -> None:
    rng = random.Random(f"{kind}{count}")
    lives = spilled = 0
    ends = set()
    for _ in range(count):
        made, new = draw(kind, rng)
        nodes = range(len(made.network.topology.nodes))

        def send(model: Any = made.model, nodes: range = nodes) -> None:
            if rng.random() < 0.05:
                source, destination = rng.sample(nodes, 2)
                model.sources.create(source, destination, model.cycle - 1)

        told = live(rng, made, new, disturb=send)
        lives += sum(told.ends.values())
        spilled += told.spilled
        ends |= set(told.ends)
    assert ends == set(ENDS)
    assert lives >= 12 * count
    assert spilled > lives


@pytest.mark.parametrize("kind", KINDS)
def test_without_kill_no_message_is_lost_and_nobody_refused(kind: str) -> None:
    rng = random.Random(kind)
    for _ in range(12):
        made, new = draw(kind, rng)
        live(rng, made, new, ends=("last", "clear"))
        for target in targets(made):
            assert made.counter(target, Counter.STRAY) == 0
            assert made.counter(target, Counter.REFUSED_ARRIVE) == 0


def keep_awake_beside(made: SetUpBench[Any]) -> None:
    """Have a second model do the same without ever sleeping, and compare them in every cycle."""
    sleepy, awake, places = made.model, model_of(made.network), targets(made)
    nodes, step = range(len(made.network.topology.nodes)), made.model.step

    def both(**inputs: Any) -> Any:
        awake._awake.update(places)
        assert sleepy.release == awake.release
        assert sleepy.spill_release == awake.spill_release
        assert sleepy.config_answer == awake.config_answer
        assert [sleepy.spill_ready(n) for n in nodes] == [awake.spill_ready(n) for n in nodes]
        before = [sleepy.observe(target) for target in places]
        sleepy.touched.clear()
        idle = sleepy.idle_until()
        record = step(**inputs)
        assert record == awake.step(**inputs)
        if idle is None and not any(inputs.values()):
            assert record is None
        for target in places:
            assert sleepy.observe(target) == awake.observe(target)
            assert target in sleepy.touched or sleepy.observe(target) == before[target]
        return record

    sleepy.step = both  # type: ignore[method-assign]


@pytest.mark.parametrize("kind", KINDS)
def test_sleeping_changes_nothing(kind: str) -> None:
    rng = random.Random(f"sleep {kind}")
    for _ in range(3):
        made, new = draw(kind, rng)
        keep_awake_beside(made)
        live(rng, made, new)

"""Barriers of the static model: who is released when, and where the flits are (paper Reflex)."""

import random

import pytest

from syncfabric.models.messages.static import INIT, Role, StaticWord
from syncfabric.models.networks.mesh import Node
from tests.models.golden.static_bench import (
    Bench,
    Group,
    cycle,
    mesh_of,
    port_to,
    random_groups,
    ready_bench,
    ring,
    static,
)
from tests.models.golden.static_play import Play

PORT_NAMES = ("east", "north", "west", "south")


def skewed(rng: random.Random, skew: int) -> Play:
    """Return random groups on a random mesh, whose members are late by up to ``skew``."""
    buffers = rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 4)
    spec = static(rng.randint(2, 5), rng.randint(2, 5), buffers)
    bench = ready_bench(spec, *random_groups(rng, mesh_of(spec)))
    hold = random.Random(rng.random()) if rng.random() < 0.5 else None
    play = Play(bench, lambda *_: rng.randint(0, skew), hold)
    for group in bench.groups:
        play.join(group)
    return play


def random_run(seed: int) -> None:
    rng = random.Random(seed)
    play = skewed(rng, rng.choice((0, 0, 3, 20, 80)))
    play.run(8)
    for node in play.bench.mesh.nodes:
        counters = list(play.bench.look(node).values())[-4:]
        assert counters == [0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(150))
def test_no_member_leaves_early_or_stays(seed: int) -> None:
    random_run(seed)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(1000, 4000))
def test_no_member_leaves_early_in_many_runs(seed: int) -> None:
    random_run(seed)


@pytest.mark.parametrize("seed", range(40))
def test_no_member_leaves_wait_before_all_have_passed_notify(seed: int) -> None:
    """Read off ``observe``: a member has passed Notify when it has two flits of the episode left.

    The root has when its notify is back; in a tree, a member when it has read one flit.
    """
    play = skewed(random.Random(seed), 30)
    bench = play.bench
    while min(course.episodes for course in play.courses) < 5:
        leaving = {bench.mesh.node(index) for index, _, _ in bench.model.release}
        for course in play.courses:
            members = course.group.members
            gone = dict(zip(members, map(len, course.released), strict=True))
            for episode in {gone[node] for node in leaving.intersection(members)}:
                for node in members:
                    if gone[node] == episode:
                        assert bench.look(node)["left"] <= notified(bench, course.group, node)
        play.step()


def notified(bench: Bench, group: Group, node: Node) -> int:
    """Return the most that a node's ``left`` can be when it has passed Notify."""
    if group.role(node) is Role.TREE_ROOT:
        return 1 << 16  # has passed it when it has sent the last flit
    return {Role.RING: 2, Role.TREE: group.flits(bench.spec) - 1}.get(group.role(node), 0)


@pytest.mark.parametrize("core", [1, 2, 3])
@pytest.mark.parametrize("size", [(2, 2), (4, 2), (3, 4)])
def test_where_the_flits_are_after_each_phase(size: tuple[int, int], core: int) -> None:
    """SPEC: Init, root notified, cores 1..i notified, all notified, all have waited."""
    group = ring(cycle(*size))
    path = group.members
    bench = Bench(static(*size, (2, core, 2)), [group])
    bench.load()
    assert not list(bench.full())
    bench.begin(group)
    bench.quiesce()
    start = {(node, "core", core) for node in path}
    assert {*bench.full()} == start

    index = [bench.mesh.index(node) for node in path]
    bench.step(hold=dict.fromkeys(index, True))
    for i in range(len(path)):
        bench.step(arrive={(index[i], 0): 0})
        bench.quiesce()
        after = path[(i + 1) % len(path)]
        entry = PORT_NAMES[port_to(after, path[i])]
        come = {(node, "core", 1) for node in path[1 : i + 1]}
        waiting = {(node, "core", core) for node in (path[0], *path[i + 1 :])}
        assert {*bench.full()} == come | waiting | {(after, entry, 1)}
    assert not bench.model.release

    bench.step(hold=dict.fromkeys(index, False))
    bench.quiesce()
    assert {*bench.full()} == start
    assert all(bench.model.done(node) for node in index)


def test_a_core_that_arrives_before_init_just_waits() -> None:
    """Paper Reflex, section IV.B; the root has to receive INIT first."""
    group = ring(cycle(2, 2))
    bench = Bench(static(2, 2), [group])
    bench.load()
    for node in group.members:
        word = group.role(node)
        bench.request(bench.mesh.index(node), StaticWord.ROLE, word)
    root, *others = map(bench.mesh.index, group.members)
    bench.step(arrive={(node, 0): 0 for node in others})
    bench.step(arrive={(root, 0): 0})
    assert bench.look(group.root)["refused_arrive"] == 1
    bench.quiesce()
    bench.request(root, StaticWord.COMMAND, INIT)
    bench.quiesce()
    assert not any(map(bench.model.done, others))
    bench.step(arrive={(root, 0): 0})
    bench.quiesce()
    assert all(map(bench.model.done, (root, *others)))


def test_a_group_of_one_is_released_in_the_next_cycle() -> None:
    bench = ready_bench(static(2, 2), Group((1, 1), ((1, 1),), {}, 0))
    bench.step(arrive={(3, 0): 0})
    assert bench.model.release == [(3, 0, 0)]


def test_a_late_wait_holds_back_no_other_with_two_places() -> None:
    """SPEC section 3, split phase: with B = 1 it holds back the releases behind it."""
    for core, passes in ((1, False), (2, True), (3, True)):
        group = ring(cycle(4, 4))
        bench = ready_bench(static(4, 4, (2, core, 2)), group)
        index = [bench.mesh.index(node) for node in group.members]
        bench.step(hold={index[5]: True}, arrive={(node, 0): 0 for node in index})
        bench.quiesce()
        behind = [bench.model.done(node) for node in index[6:]]
        assert behind == [passes] * len(behind)
        assert not bench.model.done(index[5])
        bench.step(hold={index[5]: False})
        bench.quiesce()
        assert all(map(bench.model.done, index))

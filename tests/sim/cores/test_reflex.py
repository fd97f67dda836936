"""Reflex in software: programs that send flits make rings and trees hold, whatever comes late."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.messages.static import Role, StaticWord
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.planning.static_routes import route_writes
from syncfabric.sim.cores.compile import compile_program
from syncfabric.sim.cores.program import Program
from syncfabric.sim.cores.run import boot_groups, script_text
from syncfabric.sim.cores.system import FLITS, Step, with_world
from tests.sim.cores.emulator import Run, emulate
from tests.sim.cores.systems import break_software, early, program

OURS = Path(__file__).parent / "programs"
EPISODES = 20
RING, TREE = FLITS


def static(width: int, height: int, barrier: str, buffers: tuple[int, int, int]) -> NetworkSpec:
    """Return a network with a group of all nodes: places of switches, cores and what they send."""
    names = ("switch_buffer", "core_buffer", "injection_buffer")
    keys: dict[str, Any] = dict(zip(names, buffers, strict=True))
    network = StaticSpec(kind="static", width=width, height=height, **keys)
    return with_world(NetworkSpec(name="net", network=network), width * height, barrier)


def made(spec: NetworkSpec, barrier: str, source: str = "barrier", **defines: int) -> Program:
    if source == "barrier":
        return program("barrier", barrier, spec, SKEW=500)
    given = {name: str(value) for name, value in defines.items()}
    return compile_program(OURS / f"{source}.c", spec=spec, barrier=barrier, defines=given)


def run(spec: NetworkSpec, of: Program, seed: int) -> Run:
    cores = len(spec.network.topology.nodes)
    groups = boot_groups(make_plan(spec), sends_flits=of.sends_flits)
    assert all(group.roles and set(group.registers) == {None} for group in groups)
    return emulate(of, spec, cores, groups, seed=seed, slowest=(2, 40, 400)[seed % 3])


def play(spec: NetworkSpec, of: Program, seeds: Iterable[int] = range(3)) -> tuple[int, int]:
    """Run barriers with various seeds; count early ones, and cores that hang or fail."""
    wrong = bad = 0
    for seed in seeds:
        done = run(spec, of, seed)
        assert not done.faults
        failed = len(done.stands) + sum(code != 0 for code in done.exits.values())
        bad += failed
        times = [done.values(core) for core in range(len(spec.network.topology.nodes))]
        wrong += 0 if failed else early(times, EPISODES)
    return wrong, bad


SMALL = (3, 2, (1, 2, 1))


@pytest.mark.parametrize("barrier", FLITS)
@pytest.mark.parametrize("source", ["barrier", "split"])
def test_no_core_leaves_before_the_last_one_comes(barrier: str, source: str) -> None:
    spec = static(*SMALL[:2], barrier, SMALL[2])
    assert play(spec, made(spec, barrier, source)) == (0, 0)


@pytest.mark.parametrize("barrier", [pytest.param(RING, marks=pytest.mark.nightly), TREE])
def test_a_core_that_arrives_need_not_wait_for_others(barrier: str) -> None:
    spec = static(*SMALL[:2], barrier, SMALL[2])
    done = run(spec, made(spec, barrier, "chain"), 1)
    assert (done.faults, done.stands) == ([], {})
    assert done.exits == dict.fromkeys(range(6), 0)


@pytest.mark.nightly
@pytest.mark.parametrize("barrier", FLITS)
@pytest.mark.parametrize("buffers", [(1, 1, 1), (2, 2, 2), (1, 3, 2), (2, 9, 1)])
@pytest.mark.parametrize(("width", "height"), [(2, 2), (5, 2), (4, 4)])
def test_no_core_leaves_early_whatever_the_buffers(
    barrier: str, buffers: tuple[int, int, int], width: int, height: int
) -> None:
    spec = static(width, height, barrier, buffers)
    for of in (
        made(spec, barrier),
        made(spec, barrier, "split"),
        made(spec, barrier, "split", TAKING=1, WORK=2000),
    ):
        assert play(spec, of) == (0, 0)
    for seed in range(3):
        assert not run(spec, made(spec, barrier, "chain"), seed).stands


@pytest.mark.nightly
@pytest.mark.parametrize("barrier", FLITS)
def test_no_core_of_sixty_four_leaves_early(barrier: str) -> None:
    spec = static(8, 8, barrier, (2, 2, 2))
    assert play(spec, made(spec, barrier)) == (0, 0)
    assert play(spec, made(spec, barrier, "split")) == (0, 0)


BREAKS = {
    "as the paper prints it": (RING, "(waits ? 2 : 0)", "(waits ? 1 : 0)"),
    "released before the notify is back": (
        RING,
        "take(B + 1, waiting); /* fillers, notify */\n"
        "            send(B + 1, waiting); /* release, fillers of the next barrier */",
        "send(B + 1, waiting);\n            take(B + 1, waiting);",
    ),
    "a filler too few": (RING, "send(B, STALLS)", "send(B - 1, STALLS)"),
    "the notify is not sent": (RING, "if (arrives)\n            send(1, waiting);", ""),
    "the next barrier's fillers are one too few": (
        RING,
        "send(B + 1, waiting); /* release",
        "send(B, waiting); /* release",
    ),
    "a tree's flits are too few": (  # one is to spare: the root sends more before it goes on
        TREE,
        "    unsigned role = group->role;\n",
        "    sf_group other = *group;\n    unsigned role = other.role;\n"
        "    other.flits -= 2;\n    group = &other;\n",
    ),
    "all of a barrier is sent ahead": (TREE, "send(B, STALLS)", "send(group->flits, STALLS)"),
    "nothing is sent ahead": (TREE, "send(B, STALLS);", ";"),
}
"""The barrier, and what is written in place of what."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.nightly if i else ()) for i, name in enumerate(BREAKS)],
)
def test_a_wrong_barrier_is_seen(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    barrier, right, wrong = BREAKS[name]
    break_software(monkeypatch, tmp_path, "sf_reflex.c", right, wrong)
    spec = static(*SMALL[:2], barrier, SMALL[2])
    bad = [play(spec, made(spec, barrier, source)) for source in ("barrier", "split")]
    bad += [(0, len(run(spec, made(spec, barrier, "chain"), 1).stands))]
    assert any(sum(counts) for counts in bad)


def test_agents_leave_the_flits_to_a_program_that_wants_them() -> None:
    """All routes are loaded as for agents; but no node has a role, and no root has to begin."""
    spec = load("reflex-groups")
    written: dict[bool, list[tuple[int, ...]]] = {}
    for barrier in ("reflex", RING):
        of = program("hello", barrier, spec)
        lines = script_text(make_plan(spec), of, {}, 100).splitlines()
        steps = [tuple(int(word, 16) for word in line.split()) for line in lines]
        written[of.sends_flits] = [step[1:] for step in steps if step[0] == Step.CONFIG]
    network, plan = spec.network, make_plan(spec)
    assert isinstance(network, StaticSpec)
    routes = {output: port for group in plan.groups for output, port in group.routes().items()}
    assert len(routes) > 64
    assert written[True] == [(*write, 0) for write in route_writes(network, routes, routes)]
    others = [write for write in written[False] if write[0] != network.layout.loader]
    assert {word for _, word, *_ in others} == {StaticWord.ROLE, StaticWord.COMMAND}


def test_a_core_receives_its_part_of_a_ring_or_a_tree() -> None:
    spec = load("reflex-groups")
    groups = boot_groups(make_plan(spec), sends_flits=True)
    agents = boot_groups(make_plan(spec), sends_flits=False)
    roots = (Role.RING_ROOT, Role.TREE_ROOT)
    for group, agent, planned in zip(groups, agents, make_plan(spec).groups, strict=True):
        assert (agent.roles, set(agent.registers)) == ((), {0})
        assert group.members == agent.members
        (root,) = (
            core for core, role in zip(group.members, group.roles, strict=True) if role in roots
        )
        assert spec.network.topology.node(root) == planned.root
        assert (group.flits > 0) is (planned.planner == "tree")


def test_flits_are_a_static_networks() -> None:
    mesh = load("mesh-2x2")
    for barrier in FLITS:
        with pytest.raises(SpecError, match=f"'{barrier}' does not go with network mesh-2x2"):
            with_world(mesh, 4, barrier)
        with pytest.raises(SpecError, match=r"made of a static network's flits.*mesh-2x2, which"):
            compile_program(Path("hello"), spec=mesh, barrier=barrier)
        with pytest.raises(SpecError, match="compiled for no network"):
            compile_program(Path("hello"), barrier=barrier)

"""A manager's core plans groups over switches in C: word by word what the planner plans."""

import random
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from syncfabric.models.messages import Op, SwitchWord
from syncfabric.models.networks.reader import load, loads
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.planning.plan_irregular import IrregularGroupPlan
from syncfabric.models.planning.port_words import port_words
from syncfabric.models.planning.requests import manager_entries
from syncfabric.sim.cores.compile import library_headers
from syncfabric.sim.cores.system import with_channels
from tests.sim.cores.systems import SOFTWARE

C99 = ["gcc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror"]
SANE = ["-fsanitize=undefined,address", "-fno-sanitize-recover=all"]
SOURCE = Path(__file__).with_name("switch_images.c")


class Asked(NamedTuple):
    """A group that is to be planned."""

    members: list[int]
    gid: int
    op: int
    epoch: int


def drawn(nodes: int, switches: int, seed: int, ports: int = 8, keys: str = "") -> NetworkSpec:
    table = f"{{ nodes = {nodes}, switches = {switches}, connectivity = 0.75, seed = {seed} }}"
    return loads(
        f'name = "net"\n[network]\nkind = "irregular"\nports = {ports}\nchannels = 2\n'
        f"random = {table}\n{keys}\n"
    )


def groups(nodes: int, count: int, seed: int) -> Iterator[Asked]:
    """Yield groups of all sizes, most of them small, in any order; all nodes are the first."""
    rng = random.Random(seed)
    sizes = [nodes, 1, *(rng.randint(1, rng.choice((4, nodes))) for _ in range(count))]
    for size in sizes:
        gid, op, epoch = rng.randrange(256), rng.randrange(Op.MAX), rng.randrange(4)
        yield Asked(rng.sample(range(nodes), size), gid, op, epoch)


def planned(spec: NetworkSpec, asked: Asked) -> list[list[int]]:
    """Return what the planner plans: members' tree and control words, then a manager's entries."""
    network = spec.network
    assert isinstance(network, IrregularSpec)
    members = tuple(network.topology.node(node) for node in sorted(asked.members))
    values = {"id": asked.gid, "members": members, "planner": "btin"}
    given = GroupSpec.model_validate(values | {"op": Op(asked.op).name.lower()})
    plan = make_plan(NetworkSpec(name="net", network=network, groups=(given,)))
    (group,) = plan.groups
    assert isinstance(group, IrregularGroupPlan)
    own = {register.seat: register for register in group.registers()}
    found = []
    for node in asked.members:
        words = port_words(replace(own[network.topology.node(node)], epoch=asked.epoch))
        found.append([words[SwitchWord.TREE], words[SwitchWord.CONTROL]])
    entries = manager_entries(plan, group, asked.epoch)
    # A group of one has no entry; the planner of the core is not asked for one then.
    return [*found, [len(entries)], *map(list, entries)]


def in_c(
    spec: NetworkSpec, asked: Sequence[Asked], folder: Path, text: str = ""
) -> list[list[int]]:
    """Return what the library plans, all groups one after another."""
    for name, header in library_headers(spec).items():
        (folder / name).write_text(header)
    own = (SOFTWARE / "sf_setup_switches.h").read_text()
    (folder / "sf_setup_switches.h").write_text(text or own)
    program = folder / "images"
    subprocess.run([*C99, *SANE, f"-I{folder}", SOURCE, "-o", program], check=True)
    lines = (
        f"{len(a.members)} {' '.join(map(str, a.members))} {a.gid} {a.op} {a.epoch}" for a in asked
    )
    done = subprocess.run(
        [program], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def differing(spec: NetworkSpec, count: int, folder: Path, text: str = "") -> int:
    """Count the groups that C plans in another way."""
    network = spec.network
    assert isinstance(network, IrregularSpec)
    asked = list(groups(min(64, len(network.nodes)), count, seed=count))
    said = iter(in_c(spec, asked, folder, text))
    wrong = 0
    for one in asked:
        found = [next(said) for _ in one.members]
        entries = next(said)
        found += [entries, *(next(said) for _ in range(entries[0]))]
        right = planned(spec, one)
        if len(one.members) == 1:
            found = [*found[:1], [0]]
        wrong += found != right
    return wrong


LONG = pytest.mark.long


@pytest.mark.parametrize(
    ("nodes", "switches", "ports", "keys"),
    [
        (40, 20, 8, 'turnaround = "node"'),
        pytest.param(24, 12, 8, "", marks=LONG),
        pytest.param(64, 64, 8, "", marks=LONG),
        pytest.param(90, 75, 8, "", marks=LONG),
        pytest.param(60, 30, 8, 'turnaround = "node"', marks=LONG),
        pytest.param(20, 6, 16, "", marks=LONG),
        pytest.param(256, 255, 8, "", marks=LONG),
    ],
)
def test_a_managers_core_plans_what_the_planner_plans(
    nodes: int, switches: int, ports: int, keys: str, tmp_path: Path
) -> None:
    for seed in (1,) if switches == 20 else (1, 2, 3):
        assert differing(drawn(nodes, switches, seed, ports, keys), 40, tmp_path) == 0


@pytest.mark.parametrize(
    "name",
    [
        "cluster-fig1",
        *(pytest.param(name, marks=LONG) for name in ("twins", "star-9", "cluster-75")),
    ],
)
def test_so_it_does_on_ready_made_networks(name: str, tmp_path: Path) -> None:
    assert differing(with_channels(load(name)), 40, tmp_path) == 0

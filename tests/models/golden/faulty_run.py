"""Networks under faults: groups that arrive again and again, packets beside them, and a judge."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.golden.mesh import MeshModel
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from syncfabric.models.traffic import rate_word
from tests.models.golden import conftest, irregular_bench

__all__ = ["H", "Judge", "Run", "faults_of", "guarded_links", "irregular_run", "mesh_run"]

H = 90
"""Cycles of the watchdog."""

Place = tuple[int, int]


@dataclass
class Judge:
    """Knows who has arrived how often, and says which releases are false."""

    members: Mapping[int, list[Place]]
    arrived: Counter[Place] = field(default_factory=Counter)
    since: dict[Place, int] = field(default_factory=dict)
    outcome: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.group = {place: gid for gid, places in self.members.items() for place in places}

    def arrive(self, place: Place, now: int) -> None:
        """Note an arrival."""
        assert place not in self.since
        self.arrived[place] += 1
        self.since[place] = now

    def release(self, place: Place, now: int, *, broken: bool) -> None:
        """Judge a release."""
        waited = now - self.since.pop(place) - 1
        assert waited <= 2 * H, "it has waited too long"
        self.outcome["broken" if broken else "released"] += 1
        if not broken:
            episode = self.arrived[place]
            for other in self.members[self.group[place]]:
                assert self.arrived[other] >= episode, "a false release"


@dataclass
class Run:
    """A model whose groups are set up, with a register of every member."""

    model: MeshModel | IrregularModel
    members: dict[int, list[Place]]

    def __post_init__(self) -> None:
        self.judge = Judge(self.members)
        self.full = list(self.model.credits)
        self.silent: set[int] = set()

    def go(self, rng: random.Random, cycles: int, *, rate: float, load: int = 5) -> None:
        """Let members arrive at random times after their release, until these cycles are over."""
        model, judge = self.model, self.judge
        model.step(load=load)
        due = {place: model.cycle + rng.randrange(9) for place in judge.group}
        end = model.cycle + cycles
        while model.cycle < end + 2 * H + 10:
            now = model.cycle
            for node, register, _ in model.release:
                judge.release((node, register), now, broken=model.broken(node, register))
                due[node, register] = now + rng.choice([0, 1, 4, 30])
            arrive = {
                place: 1
                for place, when in due.items()
                if when <= now < end and place[0] not in self.silent and model.ready(*place)
            }
            for place in arrive:
                del due[place]
                judge.arrive(place, now)
            model.step(arrive=arrive, enable=now < end, rate=rate_word(rate) if rate else 0)
        for node, register, _ in model.release:
            judge.release((node, register), model.cycle, broken=model.broken(node, register))
        assert not judge.since, "somebody waits for ever"

    def drain(self, most: int = 1500) -> None:
        """Step until no packet is anywhere and all credits are back."""
        for _ in range(most):
            if self.model.is_empty() and self.model.credits == self.full:
                return
            self.model.step()
        raise AssertionError("a channel is stuck")


def mesh_run(rng: random.Random, width: int, height: int, groups: int, **options: object) -> Run:
    """Return a mesh with random groups."""
    keys = {"check_bits": 8, "watchdog": H, **options}
    network = MeshSpec.model_validate({"kind": "mesh", "width": width, "height": height, **keys})
    made = conftest.Bench(MeshModel(network))
    made.model.step(start=True)
    nodes = network.mesh.nodes
    for gid in range(groups):
        made.add(gid, rng.sample(nodes, rng.randint(2, len(nodes))))
    members: dict[int, list[Place]] = {gid: [] for gid in range(groups)}
    for (gid, node), slot in made.places.items():
        members[gid].append((node, slot))
    return Run(made.model, members)


def irregular_run(rng: random.Random, network: IrregularSpec, groups: int) -> Run:
    """Return an irregular network with random groups."""
    made = irregular_bench.Bench(network)
    count = len(network.nodes)
    for gid in range(groups):
        chosen = rng.sample(range(count), rng.randint(min(2, count), count))
        root = network.nodes[chosen[0]][0]
        made.add(gid, irregular_bench.tree(network, chosen, root, rng))
    members: dict[int, list[Place]] = {gid: [] for gid in range(groups)}
    for (gid, target), slot in made.places.items():
        if target < count:
            members[gid].append((target, slot))
    return Run(made.model, members)


def guarded_links(model: MeshModel | IrregularModel) -> list[int]:
    """Return the links that have guards at both ends."""
    ends = ((link, model.ends(link)) for link in range(model.wiring.outer))
    return [link for link, end in ends if end is not None and end[1] >= 0]


def faults_of(
    rng: random.Random,
    run: Run,
    cycles: Iterable[int],
    kinds: tuple[FaultKind, ...] = (FaultKind.FLIP, FaultKind.DROP, FaultKind.CREDIT),
) -> list[Fault]:
    """Return a random fault in each of these cycles: 1 to 3 flips, a drop, credits lost."""
    model = run.model
    assert model.guards is not None
    form, links = model.guards.form, guarded_links(model)
    found = []
    for cycle in cycles:
        kind, mask = rng.choice(kinds), 0
        if kind is FaultKind.FLIP:
            places = rng.sample(range(form.width), rng.randint(1, min(3, form.width)))
            mask = sum(1 << place for place in places)
        elif kind is FaultKind.CREDIT:
            mask = (1 << len(form.places)) - 1
        found.append(Fault(cycle, rng.choice(links), kind, mask))
    return found

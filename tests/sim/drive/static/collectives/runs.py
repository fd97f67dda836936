"""Collectives of random groups, by chance, and how they are run."""

import random

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.scenario import Outcome, Policy, Scenario
from syncfabric.sim.drive.static.operations import FROM_ROOT, KINDS, OPERATIONS, Collective
from tests.models.golden.static_bench import Group, mesh_of, random_groups
from tests.sim.drive.static.planned import plan_of

POLICIES: tuple[Policy, ...] = ("last", "late", "together", "back_to_back", "skew", "mixed")


def random_collectives(rng: random.Random, gid: int, group: Group) -> list[Collective]:
    """Return one to three collectives of a group, some with other routes than the one before."""
    kinds = FROM_ROOT if group.tree else KINDS
    return [
        Collective(
            gid, rng.choice(kinds), rng.randint(1, 9), rng.choice(OPERATIONS), rng.randint(0, 3)
        )
        for _ in range(rng.randint(1, 3))
    ]


def random_run(rng: random.Random, spec: StaticSpec) -> tuple[BarrierPlan, Scenario]:
    """Return one group or two, of which the second may have barriers instead."""
    groups = random_groups(rng, mesh_of(spec))
    asked = [
        collective
        for gid, group in enumerate(groups)
        if not gid or rng.random() < 0.5
        for collective in random_collectives(rng, gid, group)
    ]
    scenario = Scenario(
        episodes=rng.randint(1, 5),
        seed=rng.getrandbits(16),
        policy=rng.choice(POLICIES),
        jitter=rng.choice((0, 5, 40)),
        noise=rng.random() < 0.5,
        collectives=tuple(asked),
    )
    return plan_of(spec, *groups), scenario


def check(plan: BarrierPlan, scenario: Scenario, outcome: Outcome) -> None:
    """Everything asked for is done, by the rules; groups beside have barriers all the while."""
    assert (outcome.hang, outcome.mismatches) == (None, [])
    assert tuple(done.asked for done in outcome.collectives) == scenario.collectives
    for done in outcome.collectives:
        assert len(done.cycles) == scenario.episodes
        assert min(done.cycles) > 0
    busy = {asked.group for asked in scenario.collectives}
    for group in outcome.groups:
        assert group.latency == group.model_latency
        if group.id in busy:
            assert not group.latency
        else:
            assert len(group.latency) >= scenario.episodes

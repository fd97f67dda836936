"""Who writes which register: as each member works it out alone, and nothing twice."""

import random
from itertools import chain
from typing import Any

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, NetworkSpec
from syncfabric.models.planning.plan import IrregularGroupPlan, make_plan
from syncfabric.models.planning.representatives import asked_node, shares
from syncfabric.models.planning.setup_register import setup_register
from tests.models.planning.irregular import draw_network

TRIES = 40


def planned(topology: Irregular, *groups: GroupSpec, **keys: Any) -> list[IrregularGroupPlan]:
    network = IrregularSpec(
        kind="irregular",
        ports=topology.ports,
        switches=topology.switches,
        links=topology.links,
        nodes=topology.nodes,
        **keys,
    )
    plan = make_plan(NetworkSpec(name="net", network=network, groups=groups))
    return [group for group in plan.groups if isinstance(group, IrregularGroupPlan)]


@pytest.mark.parametrize("turnaround", ["switch", "node"])
def test_members_share_the_registers_as_they_work_out_themselves(turnaround: str) -> None:
    rng, deputies = random.Random(turnaround), 0
    for _ in range(TRIES):
        topology = draw_network(rng, rng.randint(2, 12), rng.randint(0, 6), rng.randint(2, 20), 6)
        members = rng.sample(topology.nodes, rng.randint(1, len(topology.nodes)))
        (group,) = planned(topology, GroupSpec(id=3, members=tuple(members)), turnaround=turnaround)
        shared = shares(group)
        assert list(shared) == members
        for node, registers in shared.items():
            alone = setup_register(topology, members, node, 3, turnaround=turnaround)
            assert registers[0] == alone[0]
            assert {register.seat: register for register in registers} == {
                register.seat: register for register in alone
            }
            if len(registers) > 1:
                assert registers[1].seat == node[0]
                deputies += 1
        seats = [register.seat for register in chain(*shared.values())]
        assert sorted(map(str, seats)) == sorted(str(r.seat) for r in group.registers())
    assert deputies > TRIES


MIDDLE = Irregular(
    4, 3, (((0, 0), (1, 0)), ((1, 1), (2, 0))), ((0, 1), (0, 2), (1, 3), (1, 2), (2, 1))
)


def test_the_node_at_the_lowest_port_is_asked() -> None:
    assert asked_node(MIDDLE, 1) == (1, 2)
    (group,) = planned(MIDDLE, GroupSpec(id=1, members=((0, 2), (0, 1), (2, 1))), setup="paper")
    shared = {node: [r.seat for r in registers] for node, registers in shares(group).items()}
    assert shared == {(0, 2): [(0, 2)], (0, 1): [(0, 1), 0, 1], (2, 1): [(2, 1), 2]}


def test_a_switch_that_nobody_could_write_is_refused() -> None:
    bare = Irregular(4, 3, MIDDLE.links, tuple(node for node in MIDDLE.nodes if node[0] != 1))
    group = GroupSpec(id=7, members=((0, 1), (2, 1)))
    assert planned(bare, group, setup="local")
    told = (
        r"^group 7: switch 1 of its tree has no node, and with setup = \"paper\" a node must write "
        r"its register; put a node there, or set setup = \"local\" or \"manager\"$"
    )
    with pytest.raises(PlanError, match=told):
        planned(bare, group, setup="paper")
    assert planned(bare, GroupSpec(id=7, members=((0, 1), (0, 2))), setup="paper")
    rootless = group.model_copy(update={"planner": "updown"})
    with pytest.raises(PlanError, match=r"^group 7: root switch 1 of its tree has no member"):
        planned(MIDDLE, rootless, setup="paper")

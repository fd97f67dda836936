"""What a recovery may be asked for, and which links are closed around it."""

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.drive.recovery.scenario import check_scenario, fences
from tests.sim.drive.networks import mesh
from tests.sim.drive.recovery.test_recovery import dying, plan_on


@pytest.mark.parametrize(
    ("network", "words"),
    [
        (mesh(3, 3, wires=1, check_bits=8), r"not with wires = 1; remove it"),
        (mesh(3, 3), r"not with check_bits = 0: packets to 1,1 would wait"),
    ],
)
def test_the_obstacle_is_said(network: MessageSpec, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        check_scenario(plan_on(network), dying(network, ["1,1"]))


@pytest.mark.parametrize(
    ("name", "closed"),
    [
        ("1,1-2,1", {5: {Port.EAST}, 6: {Port.WEST}}),
        ("0,1", {5: {Port.WEST}, 8: {Port.SOUTH}, 0: {Port.NORTH}}),
    ],
)
def test_dead_links_are_closed_where_something_is_alive(
    name: str, closed: dict[int, set[Port]]
) -> None:
    network = mesh(4, 3, check_bits=8)
    writes = fences(network, Dead.of(network.topology, [name]))
    masks = {target: sum(1 << port for port in ports) for target, ports in closed.items()}
    assert {target: word for target, _, word in writes} == masks

"""Which networks have room for groups that come and go, and what is refused."""

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec
from syncfabric.sim.drive.room import check_churn, free_gids
from tests.sim.drive.churn.networks import NETWORKS, TREE, plan_with
from tests.sim.drive.networks import irregular, mesh, plan_of


def spec_with(count: int, **keys: object) -> NetworkSpec:
    """Return everybody's groups, as many as asked for."""
    network = mesh(2, 2, **{"groups": 4, **keys})
    nodes = tuple(network.topology.nodes)
    groups = tuple(GroupSpec(id=gid, members=nodes) for gid in range(count))
    return NetworkSpec(name="net", network=network, groups=groups)


def test_room_is_what_the_networks_groups_leave() -> None:
    check_churn(spec_with(3))
    assert free_gids(spec_with(3)) == list(range(3, 256))
    for network in NETWORKS.values():
        check_churn(plan_with(network).spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            plan_of(irregular(TREE, setup="paper")).spec,
            r'^churn: groups of net are not set up by software with setup = "paper"; '
            r'set setup = "manager" or "local" in \[network\]$',
        ),
        (
            spec_with(4),
            r"^churn: 0 of the nodes of net can take another group, and a group that comes and "
            r"goes has two members; set groups above 4 in \[network\], or remove a group$",
        ),
        (
            plan_of(mesh(1, 1)).spec,
            r"^churn: 1 of the nodes of net can take another group, and",
        ),
        (
            spec_with(256, groups=256),
            r"^churn: the groups of net have all 256 ids, so there is none for another; "
            r"remove a group$",
        ),
    ],
)
def test_what_has_no_room_is_refused(spec: NetworkSpec, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        check_churn(spec)

"""Groups too large for a manager's command, as large as it can be, and where nobody asks."""

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning.plan import make_plan
from tests.models.planning.irregular import network_of

MOST = 1024


def row(switches: int, setup: str) -> NetworkSpec:
    """Return a group between the ends of a row of switches, and one of a node alone."""
    links = tuple(((s, 0), (s + 1, 1)) for s in range(switches - 1))
    ends = ((0, 2), (switches - 1, 2))
    groups = (GroupSpec(id=5, members=ends[:1]), GroupSpec(id=6, members=ends))
    return network_of(Irregular(3, switches, links, ends), *groups, setup=setup)


def grid(count: int, setup: str) -> NetworkSpec:
    network = MeshSpec.model_validate({"kind": "mesh", "width": 40, "height": 40, "setup": setup})
    group = GroupSpec(id=6, members=tuple(network.mesh.nodes[:count]))
    return NetworkSpec(name="grid", network=network, groups=(group,))


def test_a_tree_of_too_many_switches_is_refused() -> None:
    assert make_plan(row(MOST, "manager"))
    message = (
        r"^group 6: its tree has 1,025 switches, and a manager's command can ask 1,024; "
        r'set setup = "local" in \[network\]$'
    )
    with pytest.raises(PlanError, match=message):
        make_plan(row(MOST + 1, "manager"))
    assert make_plan(row(MOST + 1, "local"))


def test_a_tree_of_too_many_nodes_is_refused() -> None:
    assert make_plan(grid(MOST, "manager"))
    with pytest.raises(PlanError, match=r"^group 6: its tree has 1,025 nodes, and"):
        make_plan(grid(MOST + 1, "manager"))
    assert make_plan(grid(MOST + 1, "local"))

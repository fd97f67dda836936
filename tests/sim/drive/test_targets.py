"""What the config port reaches: numbers, names, and the words that count."""

from syncfabric.models.messages import Counter
from syncfabric.sim.drive.targets import counters_of, name_of, target_names
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh


def test_a_meshs_targets_are_its_nodes() -> None:
    network = mesh(2, 3)
    assert len(target_names(network)) == 6
    assert target_names(network)[3] == (1, 1)
    assert name_of(network, 3) == "1,1"
    assert {word.kind for word in counters_of(network) if word.place[0] == 0} == set(Counter)


def test_an_irregular_networks_are_nodes_then_switches() -> None:
    network = irregular(SMALL)
    assert target_names(network) == ((0, 1), (0, 3), (2, 0), (2, 1), 0, 1, 2)
    assert [name_of(network, target) for target in (1, 5)] == ["0,3", "1"]
    of_node, of_switch = (
        {word.kind for word in counters_of(network) if word.place[0] == place} for place in (1, 5)
    )
    assert of_node == {Counter.REFUSED_ARRIVE}
    assert of_switch == set(Counter) - {Counter.REFUSED_ARRIVE}

"""What the config port reaches: numbers, names, and the words that count."""

from syncfabric.models.messages import Counter
from syncfabric.sim.drive.targets import targets_of
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh


def test_a_meshs_targets_are_its_nodes() -> None:
    targets = targets_of(mesh(2, 3))
    assert len(targets.names) == 6
    assert targets.names[3] == (1, 1)
    assert targets.words_of(3) == "1,1"
    assert {kind for _, kind in targets.reads[0]} == set(Counter)


def test_an_irregular_networks_are_nodes_then_switches() -> None:
    targets = targets_of(irregular(SMALL))
    assert targets.names == ((0, 1), (0, 3), (2, 0), (2, 1), 0, 1, 2)
    assert [targets.words_of(target) for target in (1, 5)] == ["0,3", "1"]
    of_node, of_switch = ({kind for _, kind in targets.reads[place]} for place in (1, 5))
    assert of_node == {Counter.REFUSED_ARRIVE}
    assert of_switch == set(Counter) - {Counter.REFUSED_ARRIVE}

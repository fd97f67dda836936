"""What the config port reaches: numbers, names, and the words that count."""

import pytest

from syncfabric.models.messages.registers import Counter
from syncfabric.models.register_map.rdl import config_map, rdl
from syncfabric.sim.drive.targets import counters_of, name_of, target_names
from tests.models.register_map.elaborated import words_of
from tests.models.register_map.networks import NETWORKS, network
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh


def test_a_meshs_targets_are_its_nodes() -> None:
    spec = mesh(2, 3)
    assert len(target_names(spec)) == 6
    assert target_names(spec)[3] == (1, 1)
    assert name_of(spec, 3) == "1,1"
    assert {word.kind for word in counters_of(spec) if word.place[0] == 0} == set(Counter)


def test_an_irregular_networks_are_nodes_then_switches() -> None:
    spec = irregular(SMALL)
    assert target_names(spec) == ((0, 1), (0, 3), (2, 0), (2, 1), 0, 1, 2)
    assert [name_of(spec, target) for target in (1, 5)] == ["0,3", "1"]
    of_node, of_switch = (
        {word.kind for word in counters_of(spec) if word.place[0] == place} for place in (1, 5)
    )
    assert of_node == {Counter.REFUSED_ARRIVE}
    assert of_switch == set(Counter) - {Counter.REFUSED_ARRIVE}


@pytest.mark.parametrize("name", NETWORKS)
def test_what_counts_is_what_the_register_map_says(name: str) -> None:
    spec = network(name)
    words = words_of(rdl(config_map(spec), "A map."), f"{name}_config")
    counters = {address for address, word in words.items() if list(word.fields) == ["count"]}
    bits = spec.network.layout.config_address_bits
    listed = [target << bits | word for (target, word), *_ in counters_of(spec.network)]
    assert sorted(listed) == sorted(counters)

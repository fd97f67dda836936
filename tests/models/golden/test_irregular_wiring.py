"""Numbers of links and lanes, against those that traces and checks count by."""

import random

import pytest

from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.golden.irregular_wiring import IrregularWiring
from syncfabric.models.golden.mesh import MeshModel
from syncfabric.models.golden.network import model_of
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.sim.assemble.links import links_of
from tests.models.golden.irregular_bench import line, random_network


@pytest.mark.parametrize("seed", range(8))
def test_links_are_numbered_as_everywhere(seed: int) -> None:
    network = random_network(random.Random(seed), channels=2)
    wiring, links = IrregularWiring(network), links_of(network)
    assert (wiring.outer, wiring.lanes) == (links.count, links.width)
    assert tuple(wiring.fed[: wiring.outer]) == links.ends
    assert tuple(wiring.sinks) == links.eject
    assert tuple(wiring.injection(i, 0) // wiring.lanes for i in range(wiring.nodes)) == (
        links.inject
    )
    assert wiring.joined[: wiring.outer] == [name is not None for name in links.names]


def test_inner_lanes_are_each_for_one_purpose() -> None:
    wiring = IrregularWiring(line(3, channels=2))
    sinks = {wiring.sink(switch) for switch in range(3)}
    drains = {wiring.drain(link, c) for link in range(wiring.outer) for c in range(2)}
    assert len(sinks | drains) == 3 + 2 * wiring.outer
    assert min(sinks | drains) == wiring.outer * wiring.lanes
    assert max(sinks | drains) < wiring.links * wiring.lanes


def test_a_dateline_takes_packets_to_the_odd_channel() -> None:
    wiring = IrregularWiring(line(2, channels=4, datelines=((0, 1),)))
    assert [wiring.exit(0, 1, c) for c in range(4)] == [wiring.lane(0, 1, c) for c in (1, 1, 3, 3)]
    assert [wiring.exit(1, 0, c) for c in range(4)] == [wiring.lane(1, 0, c) for c in range(4)]
    assert list(wiring.packet_channels) == [0, 2]


def test_the_model_follows_from_the_kind() -> None:
    assert isinstance(model_of(line(2)), IrregularModel)
    assert isinstance(model_of(MeshSpec(kind="mesh", width=2, height=2)), MeshModel)

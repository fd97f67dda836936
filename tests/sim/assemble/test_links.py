"""Numbers of links: names and ends of each, and the lanes that a link has."""

import pytest

from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.assemble.links import links_of
from tests.models.networks.irregulars import chain
from tests.models.networks.specs import mesh, static


def test_links_of_a_row_of_two() -> None:
    links = links_of(static(width=2, height=1))
    assert (links.width, links.count) == (1, 12)
    assert links.names[0] == ((0, 0), "east")
    assert links.names[4] == ((0, 0), "local")
    assert links.names[11] == ((1, 0), "inject")
    assert links.names[1] is None


@pytest.mark.parametrize("spec", [mesh(width=3, height=2), chain()])
def test_each_end_is_the_input_of_a_link_back(spec: AnySpec) -> None:
    links, graph = links_of(spec), spec.topology.graph
    for router in range(graph.switches):
        for port in range(graph.ports):
            far = graph.across(router, port)
            number = router * graph.ports + port
            assert links.ends[number] == far
            if far is not None:
                assert links.ends[far[0] * graph.ports + far[1]] == (router, port)
            node = graph.node_at(router, port)
            assert (links.names[number] is None) == (far is None and node is None)
            assert node is None or links.eject[node] == number
    assert [links.names[number] for number in links.inject] == [
        (node, "inject") for node in spec.topology.nodes
    ]


def test_lanes_follow_each_other() -> None:
    keys = {"channels": 2, "setup": "manager", "wires": 3, "streams": 2}
    links = links_of(mesh(width=2, height=2, **keys))
    assert (links.channels, links.setup, links.classes) == (2, 1, 1)
    assert links.first_stream == 2 + 1 + 1 + 3
    assert links.width == links.first_stream + 2 * 2

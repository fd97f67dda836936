"""Networks of engines: E11 to the cycle, and what groups and links may rely on."""

from collections import Counter

import pytest

from syncfabric.models.layout.engine import EngineLayout, Kind
from tests.models.golden.engine_nets import Net, centre, distances, mesh


def latency(side: int, stages: int, registers: int) -> int:
    """Let all of a mesh arrive, the farthest member last; return the cycles from it on."""
    graph = mesh(side, side)
    layout = EngineLayout(4, True, 2, 0, "none")
    net = Net(graph, side * side, layout, stages, registers)
    nodes = range(side * side)
    root, radius = centre(graph, nodes)
    assert radius == side
    group = net.group(nodes, root)
    assert group
    released: Counter[int] = Counter()
    net.on_release = lambda node, message: released.update({node: message.kind == Kind.PLAIN})
    net.set_up(group)
    net.run(2 * radius * (stages + registers) + 40)
    assert sorted(released) == list(nodes)  # GO
    far = max(nodes, key=distances(graph, root)[0].__getitem__)
    for node in nodes:
        if node != far:
            net.arrive(group, node)
    net.run(2 * radius * (stages + registers) + 100)
    assert not sum(released.values())
    net.arrive(group, far)
    begin = net.now
    while sum(released.values()) < len(nodes):
        last = net.now
        net.step()
        assert last < begin + 1000
    assert all(count == 1 for count in released.values())
    return last - begin


@pytest.mark.parametrize("registers", range(4))
@pytest.mark.parametrize("stages", range(1, 5))
@pytest.mark.parametrize("side", [2, 4])
def test_e11_latency(side: int, stages: int, registers: int) -> None:
    last = (2, 3, 3, 4)[stages - 1]
    assert latency(side, stages, registers) == 2 * side * (stages + registers) + last


@pytest.mark.parametrize(("stages", "cycles"), [(1, 18), (2, 35), (3, 51), (4, 68)])
def test_e11_latency_of_all_of_8x8(stages: int, cycles: int) -> None:
    assert latency(8, stages, 0) == cycles
    assert latency(8, stages, 3) == cycles + 2 * 8 * 3

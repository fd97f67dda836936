"""Traffic patterns against examples written by hand, and what networks they refuse."""

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.families import named
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.patterns import ALL, ANY, NAMES, UNIFORM, Pattern, pattern_of
from tests.sim.drive.clusters import SMALL

EIGHT = Irregular(9, 1, (), tuple((0, port) for port in range(8)))
"""A switch with eight nodes: no coordinates."""
TORUS = named("torus-3x2").network(1, None, None)


@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        ("transpose", {(0, 0): (0, 0), (1, 0): (0, 1), (7, 2): (2, 7)}),
        ("bit-complement", {(0, 0): (7, 7), (1, 0): (6, 7), (3, 5): (4, 2)}),
        # (4, 1) is 001100, reversed 001100; (1, 0) is 000001, reversed 100000.
        ("bit-reverse", {(4, 1): (4, 1), (1, 0): (0, 4), (6, 0): (0, 3), (5, 3): (6, 5)}),
        # 000100 becomes 001000, 100001 becomes 000011.
        ("shuffle", {(4, 0): (0, 1), (1, 4): (3, 0), (7, 7): (7, 7)}),
        # Half of the ring, less one: three of eight.
        ("tornado", {(0, 0): (3, 3), (4, 5): (7, 0), (5, 7): (0, 2), (7, 6): (2, 1)}),
        ("neighbour", {(0, 0): (1, 1), (7, 3): (0, 4), (6, 7): (7, 0)}),
    ],
)
def test_patterns_of_an_8x8_mesh(name: str, pairs: dict[tuple[int, int], tuple[int, int]]) -> None:
    mesh = Mesh(8, 8)
    pattern = pattern_of(mesh, name)
    assert {a: mesh.node(pattern.goals[mesh.index(a)]) for a in pairs} == pairs
    assert (pattern.name, pattern.share) == (name, ALL)


@pytest.mark.parametrize(
    ("topology", "name", "goals"),
    [
        (Mesh(3, 2), "tornado", (1, 2, 0, 4, 5, 3)),
        (Mesh(5, 1), "tornado", (2, 3, 4, 0, 1)),
        (Mesh(3, 2), "neighbour", (4, 5, 3, 1, 2, 0)),
        (Mesh(3, 3), "transpose", (0, 3, 6, 1, 4, 7, 2, 5, 8)),
        (Mesh(4, 2), "bit-complement", (7, 6, 5, 4, 3, 2, 1, 0)),
        (TORUS, "tornado", pattern_of(Mesh(3, 2), "tornado").goals),
        (TORUS, "neighbour", pattern_of(Mesh(3, 2), "neighbour").goals),
        (named("torus-3x3").network(1, None, None), "transpose", (0, 3, 6, 1, 4, 7, 2, 5, 8)),
        (
            named("torus-3x2x2").network(1, None, None),
            "neighbour",
            (10, 11, 9, 7, 8, 6, 4, 5, 3, 1, 2, 0),
        ),
        (EIGHT, "tornado", (3, 4, 5, 6, 7, 0, 1, 2)),
        (EIGHT, "neighbour", (1, 2, 3, 4, 5, 6, 7, 0)),
        (EIGHT, "bit-reverse", (0, 4, 2, 6, 1, 5, 3, 7)),
        (EIGHT, "shuffle", (0, 2, 4, 6, 1, 3, 5, 7)),
        (SMALL, "transpose", (0, 2, 1, 3)),
    ],
)
def test_goals_by_number(topology: Mesh | Irregular, name: str, goals: tuple[int, ...]) -> None:
    assert pattern_of(topology, name).goals == goals


@pytest.mark.parametrize("name", sorted(NAMES.keys() - {UNIFORM}))
@pytest.mark.parametrize("side", [4, 8, 16])
def test_all_are_permutations(name: str, side: int) -> None:
    pattern = pattern_of(Mesh(side, side), name)
    assert sorted(pattern.goals) == list(range(side * side))
    fixed = {"transpose": side, "bit-reverse": side, "shuffle": 2}.get(name, 0)
    assert pattern.senders == side * side - fixed


def test_uniform_has_no_goals() -> None:
    assert pattern_of(Mesh(3, 1), UNIFORM) == Pattern(UNIFORM, (ANY, ANY, ANY))


def test_a_hot_node_gets_a_share_and_sends_as_uniform() -> None:
    pattern = pattern_of(Mesh(3, 1), "hotspot:0.25:1,0")
    assert (pattern.goals, pattern.share, pattern.senders) == ((1, ANY, 1), ALL // 4, 3)


def test_hot_nodes_take_senders_in_turn_but_never_themselves() -> None:
    assert pattern_of(Mesh(4, 1), "hotspot:1:2,0:3,0").goals == (2, 3, 3, 2)
    (switch, port), *_ = SMALL.nodes
    pattern = pattern_of(SMALL, f"hotspot:0.5:{switch},{port}")
    assert pattern.goals == (ANY, 0, 0, 0)


@pytest.mark.parametrize(
    ("topology", "text", "why"),
    [
        (Mesh(4, 2), "transpose", "it needs a square, as 8x8 or 64 nodes, and this is 4x2"),
        (Mesh(16, 4), "transpose", "it needs a square, as 8x8 or 64 nodes, and this is 16x4"),
        (EIGHT, "transpose", "it needs a square, as 8x8 or 64 nodes, and this is 8 nodes"),
        (Mesh(3, 3), "shuffle", "a number's bits rotated need a power of two of nodes, not 9"),
        (Mesh(6, 1), "bit-reverse", "a number's bits reversed need a power of two of nodes, not 6"),
        (Mesh(5, 1), "bit-complement", "a number's bits inverted need a power of two of nodes"),
        (Mesh(2, 2), "tornado", "on the 2x2 mesh every node is its own destination"),
        (Mesh(4, 4), "tornade", 'it is not known; did you mean "tornado"?'),
        (Mesh(4, 4), "uniform:2", "it is not known"),
        *(
            (
                Mesh(4, 4),
                f"hotspot{rest}",
                "write hotspot:SHARE:x,y, the share above 0 and up to 1, a node once",
            )
            for rest in ("", ":", ":0:1,1", ":nan:1,1", ":1.5:1,1", ":.1", ":.1:4", ":.1:1,1:1,1")
        ),
        (Mesh(4, 4), "hotspot:0.1:0,4", "node 0,4 is outside the 4x4 mesh; y must be 0..3"),
        (SMALL, "hotspot:0.1:9", "write hotspot:SHARE:switch,port, the share"),
    ],
)
def test_what_a_network_does_not_allow(topology: Mesh | Irregular, text: str, why: str) -> None:
    with pytest.raises(SpecError) as refused:
        pattern_of(topology, text)
    assert str(refused.value).startswith(f"pattern {text}: {why}")

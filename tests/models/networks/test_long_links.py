"""Links with more registers than others, and packages of chiplets that such links join."""

from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import IrregularSpec, NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan

TORUS = 'topology = "torus-4x3"\n'
GROUP = '[[group]]\nid = 1\nmembers = "all"\n'


def read(text: str, folder: Path | None = None) -> NetworkSpec:
    return loads(f'name = "n"\n[network]\nkind = "irregular"\nsetup = "local"\n{text}', folder)


def network(text: str, folder: Path | None = None) -> IrregularSpec:
    found = read(text, folder).network
    assert isinstance(found, IrregularSpec)
    return found


def test_links_that_close_rings() -> None:
    made = network(TORUS + 'long_links = [{ registers = 6, between = "wraps" }]')
    closing = {
        frozenset(pair) for pair in ((0, 3), (4, 7), (8, 11), (0, 8), (1, 9), (2, 10), (3, 11))
    }
    for ((a, p), (b, _)), extra in zip(made.links, made.topology.extra, strict=True):
        assert extra == (6 if frozenset((a, b)) in closing else 0)
        assert made.shape.delay_of[a, p] == extra
    assert made.buffer_flits == 15, "as many as keep a link of 6 registers busy"
    assert made.shape.stage == 6


def test_links_by_pairs_beyond_those_of_all() -> None:
    long = "link_registers = 2\nlong_links = [{ registers = 5, between = [[1, 0], [1, 2]] }]"
    made = network(TORUS + long)
    delays = {frozenset((a, b)): made.shape.delay_of[a, p] for (a, p), (b, _) in made.links}
    assert {pair for pair, delay in delays.items() if delay == 5} == {
        frozenset((0, 1)),
        frozenset((1, 2)),
    }
    assert {*delays.values()} == {2, 5}
    assert made.shape.stage == 1
    assert [made.shape.stages_of((0, p)) for p in range(4)] == [5, 2, 2, 2]
    assert network(TORUS + long + "\nbuffer_flits = 2").buffer_flits == 2


def test_a_network_whose_links_are_alike_says_nothing_of_it() -> None:
    made = network(TORUS)
    assert made.topology.extra == ()
    assert "long_links" not in made.model_dump()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            TORUS + "long_links = [{ registers = 16, between = [[0, 1]] }]",
            "registers must be 1 to 15",
        ),
        (TORUS + "long_links = [{ registers = 1 }]", "between is missing"),
        (TORUS + "long_links = [{ registers = 1, between = [[0, 2]] }]", "no link joins"),
        (TORUS + "long_links = [{ registers = 1, between = [[0, 1], [1, 0]] }]", "named twice"),
        (
            TORUS + "link_registers = 3\nlong_links = [{ registers = 3, between = [[0, 1]] }]",
            "above link_registers = 3, not 3",
        ),
        (
            'topology = "mesh-2x2"\nlong_links = [{ registers = 1, between = "wraps" }]',
            "topologies with rings",
        ),
        (TORUS + "link_registers = 16", "link_registers must be 0 to 15, not 16"),
        (TORUS + "buffer_flits = 41", "buffer_flits must be 1 to 40, not 41"),
    ],
)
def test_links_that_cannot_be(text: str, error: str) -> None:
    with pytest.raises(SpecError, match=error):
        network(text)


PACKAGE = """
chiplets = [
    { name = "cpu", topology = "mesh-2x2" },
    { name = "io", topology = "ring-3" },
    { name = "own", graph = "own.txt" },
]
bridges = [
    { between = ["cpu", "io"], switches = [[1, 0], [3, 2]], registers = 9 },
    { between = ["own", "io"], switches = [[0, 1]] },
]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own.txt").write_text("0 1\n")
    return tmp_path


def test_chiplets_are_numbered_in_their_order(folder: Path) -> None:
    made = network(PACKAGE, folder)
    assert made.switches == 4 + 3 + 2
    assert not made.interfaces
    assert [switch for switch, _ in made.nodes] == list(range(9))
    pairs = sorted(tuple(sorted((a, b))) for (a, _), (b, _) in made.links)
    bridges = [(1, 4), (3, 6), (5, 7)]
    assert pairs == sorted(
        [(0, 1), (0, 2), (1, 3), (2, 3), (4, 5), (4, 6), (5, 6), (7, 8), *bridges]
    )
    delays = {frozenset((a, b)): made.shape.delay_of[a, p] for (a, p), (b, _) in made.links}
    assert {tuple(sorted(pair)): delay for pair, delay in delays.items() if delay} == {
        (1, 4): 9,
        (3, 6): 9,
    }
    assert made.notes[1] == "chiplet io has switches 4 to 6"
    assert made.buffer_flits == 21
    assert made.routing == "table"


def test_a_plan_of_a_package_comes_back(folder: Path) -> None:
    plan = make_plan(read(PACKAGE + GROUP, folder))
    again = BarrierPlan.from_json(plan.to_json())
    assert again.groups == plan.groups
    assert again.spec == plan.spec


def test_nodes_are_behind_switches_if_some_must_be(folder: Path) -> None:
    made = network(PACKAGE.replace('"mesh-2x2"', '"mesh-2x2", nodes_per_switch = 2'), folder)
    assert made.interfaces
    assert [switch for switch, _ in made.nodes] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8]
    assert network(f"interfaces = true\n{PACKAGE}", folder).interfaces


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ('"io", topology', '"cpu", topology', 'two chiplets have the name "cpu"'),
        ('topology = "ring-3"', 'topology = "ring-2"', "size of"),
        (', topology = "ring-3"', "", "give it a topology or a graph"),
        ('graph = "own.txt"', 'graph = "own.txt", nodes_per_switch = 2', "nodes_per_switch goes"),
        ('["own", "io"]', '["owe", "io"]', 'no chiplet "owe"; did you mean "own"'),
        ('["own", "io"]', '["io", "io"]', "leads from chiplet io to itself"),
        ("[[0, 1]]", "[[0, 3]]", "chiplet io has no switch 3; switches must be 0..2"),
        ("registers = 9", "registers = 16", "registers must be 0 to 15"),
        ("[[0, 1]]", f"[{', '.join(['[0, 1]'] * 16)}]", "need 19 ports a switch, more than 16"),
        ("bridges = [", 'topology = "ring-3"\nbridges = [', "both say how the switches are linked"),
        (
            '{ between = ["own", "io"]',
            '{ between = ["io", "cpu"], switches = [[0, 1]] }, { between = ["own", "io"]',
            "between switches 0 and 1 of io and cpu have different registers",
        ),
        ("chiplets = [", "ports = 3\nchiplets = [", "need 4 ports a switch, more than 3"),
    ],
)
def test_packages_that_cannot_be(folder: Path, old: str, new: str, error: str) -> None:
    text: Any = PACKAGE.replace(old, new, 1)
    assert text != PACKAGE
    with pytest.raises(SpecError, match=error):
        network(text, folder)


def test_two_links_between_the_same_switches(folder: Path) -> None:
    made = network(PACKAGE.replace("[[1, 0], [3, 2]]", "[[1, 0], [1, 0]]"), folder)
    bridges = [
        made.topology.extra[n] for n, ((a, _), (b, _)) in enumerate(made.links) if {a, b} == {1, 4}
    ]
    assert bridges == [9, 9]


def test_no_chiplets() -> None:
    with pytest.raises(SpecError, match="chiplets"):
        network("chiplets = []")


def test_chiplets_that_no_bridge_joins(folder: Path) -> None:
    with pytest.raises(SpecError, match="2 parts have no link between them"):
        network(PACKAGE.replace('{ between = ["own", "io"], switches = [[0, 1]] },', ""), folder)

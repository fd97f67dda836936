"""Irregular networks built from Python keep the rules of network files."""

from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from tests.models.networks.irregulars import LINKS, NODES, chain
from tests.models.networks.specs import COMMON, mesh


def test_defaults_of_an_irregular_network() -> None:
    assert chain().model_dump() == {
        "kind": "irregular",
        "ports": 4,
        "switches": 3,
        "links": LINKS,
        "nodes": NODES,
        "tables": None,
        "datelines": (),
        "routing": "table",
        **COMMON,
        "setup": "manager",
        "notes": (),
    }
    assert chain().topology.across(2, 0) == (1, 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nodes": ()}, r"nodes is empty; name at least one \[switch, port\]"),
        (
            {"nodes": ((0, 0), (2, 1))},
            r"port 0 of switch 0 is used twice, by link \[\[0, 0\], \[1, 0\]\] and node \[0, 0\]; "
            r"give each a port of its own",
        ),
        (
            {"links": (*LINKS, ((1, 0), (2, 2)))},
            r"port 0 of switch 1 is used twice, by link \[\[0, 0\], \[1, 0\]\] and link "
            r"\[\[1, 0\], \[2, 2\]\]; give each a port of its own",
        ),
        (
            {"links": (*LINKS, LINKS[0])},
            r"link \[\[0, 0\], \[1, 0\]\] is listed twice; list it once",
        ),
        ({"nodes": ((2, 1), (2, 1))}, r"node \[2, 1\] is listed twice; list it once"),
        (
            {"links": (*LINKS, ((1, 2), (1, 3)))},
            r"link \[\[1, 2\], \[1, 3\]\] leads from switch 1 to itself; link two switches",
        ),
        (
            {"links": (*LINKS, ((1, 2), (3, 0)))},
            r"link \[\[1, 2\], \[3, 0\]\]: there is no switch 3; switches must be 0\.\.2",
        ),
        (
            {"links": (), "switches": 1},
            r"node \[2, 1\]: there is no switch 2; switches must be 0",
        ),
        ({"nodes": ((0, 4),)}, r"node \[0, 4\]: switch 0 has no port 4; ports must be 0\.\.3"),
        ({"nodes": ((0, 10**30),)}, r"node .*: switch 0 has no port 10{30}; ports must be 0\.\.3"),
        (
            {"links": LINKS[:1]},
            r"the switches are not connected: 2 parts have no link between them \(2 switches: 0, "
            r"1; 1 switch: 2\); link every part to another",
        ),
        (
            {"switches": 10, "links": (*LINKS, ((2, 2), (3, 0)), ((3, 1), (7, 0)))},
            r"the switches are not connected: 6 parts have no link between them \(5 switches: 0, "
            r"1, 2, 3, …; 1 switch: 4; 1 switch: 5; 1 switch: 6; 2 more\); link every part to "
            r"another",
        ),
        (
            {"datelines": ((0, 1),), "channels": 2, "setup": "local"},
            r"dateline \[0, 1\] is not at a link; name the \[switch, port\] by which packets leave "
            r"for another switch",
        ),
        (
            {"datelines": ((0, 0), (1, 1), (0, 0)), "channels": 2, "setup": "local"},
            r"dateline \[0, 0\] is listed twice; list it once",
        ),
        (
            {"datelines": ((0, 0),), "channels": 3},
            r"channels = 3 does not go with datelines, .*; set channels = 2 or 4",
        ),
        (
            {"tables": ((-1, 0, 0), (0, -1, 1))},
            r"tables must have 3 rows of 3 ports, one for each switch",
        ),
        (
            {"tables": ((-1, 0, 0), (0, -1, 1), (0, 0, 0))},
            r"tables: switch 2 needs no port to itself; write -1",
        ),
        (
            {"tables": ((-1, 0, 1), (0, -1, 1), (0, 0, -1))},
            r"tables: switch 0 sends packets for switch 2 by port 1, which leads to no switch; its "
            r"ports that do are 0",
        ),
        (
            {"tables": ((-1, 0, -1), (0, -1, 1), (0, 0, -1))},
            r"tables: switch 0 sends packets for switch 2 by port -1, which leads to no switch; .*",
        ),
    ],
)
def test_an_irregular_network_must_be_sound(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=f"^network: {message}$"):
        chain(**changes)


def test_the_first_node_is_the_manager_where_none_is_named() -> None:
    assert chain().manager_nodes == (NODES[0],)
    assert chain(managers=((2, 1), (0, 2))).manager_nodes == ((2, 1), (0, 2))
    assert chain(setup="local").manager_nodes == mesh().manager_nodes == ()
    assert mesh(setup="manager").manager_nodes == ((0, 0),)

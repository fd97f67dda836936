"""What a C program needs to have groups of an irregular network set up by its managers.

Links and nodes' places are tables, from which a core at a manager's node plans the tree.
"""

from __future__ import annotations

from collections.abc import Iterable

from syncfabric.models.messages import (
    MANAGER_BASE,
    MANAGER_COMMAND,
    MANAGER_STATUS,
    REQUEST,
    ManagerState,
    ManagerWord,
    Request,
)
from syncfabric.models.messages.core import MOST_CORES
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.c_text import define, defines, fields
from syncfabric.models.planning.switch_tree import PROCESS_PORT, UPLINK_PORT

__all__ = ["MOST_TABLED", "manager_blocks"]

MOST_TABLED = 255
"""Switches of a network whose links a program holds: a number, and a level, is a byte."""

_LINE = 12


def manager_blocks(network: IrregularSpec) -> str:
    """Return the tables of a network, and the words of its managers (C99).

    Parameters
    ----------
    network : IrregularSpec
        Of at most ``MOST_TABLED`` switches, with managers.
    """
    topology = network.topology
    links = zip(topology.neighbour, topology.port, topology.far_port, strict=True)
    places = topology.nodes[:MOST_CORES]
    managers = [topology.index(node) for node in network.manager_nodes]
    words = {f"MANAGER_{word.name}": MANAGER_BASE + word for word in ManagerWord}
    words |= {f"REQUEST_{request.name}": int(request) for request in Request}
    words |= {f"STATE_{state.name}": int(state) for state in ManagerState}
    blocks = [
        "/* Links of switch s are at LINK_ROWS[s] to [s + 1] of LINKS: the switch at the other\n"
        " * end, the own port, the other end's; by the other end, then the port. Places of the\n"
        " * first nodes: switch and port. */",
        _table("LINK_ROWS", map(str, topology.indptr)),
        _table("LINKS", (f"{{{to}, {port}, {far}}}" for to, port, far in links)),
        _table("NODE_PLACES", (f"{{{switch}, {port}}}" for switch, port in places)),
        "/* Nodes with a manager, in the order of the managers' numbers. */",
        define("MANAGERS", len(managers)),
        _table("MANAGER_NODES", map(str, managers)),
        "/* Ports of a node interface; a manager's config addresses, operations and states. */",
        *defines({"UPLINK_PORT": UPLINK_PORT, "PROCESS_PORT": PROCESS_PORT} | words),
        *(fields(layout) for layout in (REQUEST, MANAGER_COMMAND, MANAGER_STATUS)),
    ]
    return "\n".join(blocks) + "\n"


def _table(name: str, entries: Iterable[str]) -> str:
    """Return a macro that initializes an array."""
    given = list(entries)
    rows = [", ".join(given[at : at + _LINE]) for at in range(0, len(given), _LINE)]
    text = ", \\\n    ".join(rows)
    return f"#define SYNCFABRIC_{name} {{ \\\n    {text}}}"

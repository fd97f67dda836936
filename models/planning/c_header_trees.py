"""What a C program needs to have groups on collective engines set up by their managers.

Links and nodes' places are tables, from which a core at a manager's node plans the tree.
"""

from __future__ import annotations

from collections.abc import Iterable

from syncfabric.models.layout.engine import WORD_BITS, EngineLayout
from syncfabric.models.layout.setup import share_of
from syncfabric.models.messages import Op
from syncfabric.models.messages.core import MOST_CORES
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.c_text import defines

__all__ = ["MOST_TABLED", "tree_blocks"]

MOST_TABLED = 255
"""Routers of a network whose links a program holds: a number, and a level, is a byte."""

_LINE = 12
_WORD = (1 << WORD_BITS) - 1


def tree_blocks(network: MessageSpec) -> str:
    """Return the tables of a network, and where fields of an image are (C99).

    Parameters
    ----------
    network : MessageSpec
        Of at most ``MOST_TABLED`` routers, with managers.
    """
    shape = network.shape
    rows = [0]
    links: list[str] = []
    for router in range(shape.routers):
        seen = set()
        for port in range(shape.router.links):
            to, far = shape.ends.get((router, port), (router, port))
            if to != router and to not in seen:
                seen.add(to)
                links.append(f"{{{to}, {port}, {far}}}")
        rows.append(len(links))
    layout = shape.router.layout
    run = len(share_of(0, len(shape.managers), layout.entries))
    operations = len(Op) if network.operations == "all" else int(Op.MAX)
    places = (f"{{{router}, {1 << port}}}" for router, port in shape.nodes[:MOST_CORES])
    first = layout.image.offsets["entry_0"]
    begins = sum(1 << first + p * layout.name.width for p in range(len(layout.named)))
    names = (f"0x{begins >> WORD_BITS * i & _WORD:x}u" for i in range(layout.image_words))
    blocks = [
        "/* Links of router r are at LINK_ROWS[r] to [r + 1] of LINKS: the router at the far end,\n"
        " * the own port, the other end's; of parallel ones the first. Places of the first nodes:\n"
        " * router, and the port's bit. Headers of requests to each router. */",
        _table("LINK_ROWS", map(str, rows)),
        _table("LINKS", links or ["{0, 0, 0}"]),
        _table("NODE_PLACES", places),
        _table("SINK_HEADERS", (str(shape.sink_header(r)) for r in range(shape.routers))),
        "/* Nodes with a manager, in the order of the managers' numbers; entries of each\n"
        " * share, and those that a node's port has registers for. */",
        _table("MANAGER_NODES", map(str, shape.managers)),
        *defines({"SHARE_ENTRIES": run, "ENTRY_REGISTERS": shape.entry_registers}),
        *defines({"LINK_PORTS": shape.router.links}),
        "/* Where fields of an image begin, and those of a name: lowest bits. */",
        *defines(_places(layout)),
        "/* An image in which each name is 1. */",
        _table("NAMES", names),
        f"#define SF_OPERATIONS {operations if network.data_bits else 0}",
        "#define SF_ENGINES",
    ]
    return "\n".join(["", *blocks, ""])


def _places(layout: EngineLayout) -> dict[str, int]:
    image, name = layout.image.offsets, layout.name.offsets
    places = {f"AT_{field}": image[field.lower()] for field in ("PARENT", "OP")}
    places |= {"AT_NAMES": image["entry_0"], "NAME_BITS": layout.name.width}
    places |= {f"NAME_AT_{field.upper()}": place for field, place in name.items()}
    return places


def _table(name: str, entries: Iterable[str]) -> str:
    """Return a macro that initializes an array."""
    given = list(entries)
    rows = [", ".join(given[at : at + _LINE]) for at in range(0, len(given), _LINE)]
    text = ", \\\n    ".join(rows)
    return f"#define SYNCFABRIC_{name} {{ \\\n    {text}}}"

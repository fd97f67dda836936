"""C headers (C99) of config ports, of a core's registers, and of what a core plans trees from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from syncfabric.models.layout.engine import (
    ADDRESS_BITS,
    COMMIT,
    COUNTER_ADDRESS,
    IMAGE_ADDRESS,
    WORD_BITS,
    Code,
    EngineCounter,
)
from syncfabric.models.layout.network import PART_BITS, PortWord, RouterWord, Target
from syncfabric.models.layout.setup import (
    COMMAND,
    FREED,
    MANAGER_STATUS,
    REPLY,
    REQUEST,
    Answer,
    ManagerState,
    ManagerWord,
    Operation,
    share_of,
)
from syncfabric.models.messages import COUNTER_BITS, Op, core, registers, static
from syncfabric.models.messages.boot import BOOT_FENCE, BOOT_MAGIC, BOOT_NONE
from syncfabric.models.messages.layout import Layout
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec, MessageSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.c_text import block, fields, guarded, in_hex, named, prefixed
from syncfabric.models.planning.static_routes import SETTLING

__all__ = ["MOST_TABLED", "c_header", "core_header", "tree_blocks"]

MOST_TABLED = 255
"""Routers of a network whose links a program holds: a number, and a level, is a byte."""

_LINE = 12
_WORD = (1 << WORD_BITS) - 1


def c_header(spec: NetworkSpec, prefix: str = "") -> str:
    """Return a header with the words of the network's config port and their fields.

    Its names begin with the prefix, by default that of the network's module.
    """
    network = spec.network
    blocks = _static_blocks(network) if isinstance(network, StaticSpec) else _blocks(network)
    text = guarded(f"{spec.module}_REGISTERS_H", f"Config words of network {spec.name}", blocks)
    return prefixed(text, prefix or spec.module)


_CHAIN = """\
/* Bits of the chain: output p of switch s selects input i (another port than p), or is flushed. */
#define SYNCFABRIC_SELECT(s, p, i) \\
    ((s) * SYNCFABRIC_SWITCH_BITS + (p) * SYNCFABRIC_OUTPUT_BITS + (i) - ((i) > (p)))
#define SYNCFABRIC_FLUSH(s, p) \\
    ((s) * SYNCFABRIC_SWITCH_BITS + (p) * SYNCFABRIC_OUTPUT_BITS + SYNCFABRIC_OUTPUT_BITS - 1u)
/* Which of the words that are written to SHIFT, from 0 on, has bit b of the chain, and where. */
#define SYNCFABRIC_CHAIN_WORD(b) (SYNCFABRIC_CHAIN_WORDS - 1u - (b) / 32u)
#define SYNCFABRIC_CHAIN_SHIFT(b) (31u - (b) % 32u)"""


def _static_blocks(network: StaticSpec) -> list[str]:
    """Return the blocks of a static network's header (docs/microarchitecture-static.md, R3, R5)."""
    sizes = ("width", "height", "flit_bits", "switch_buffer", "core_buffer", "injection_buffer")
    bits = network.layout.chain_bits
    ports = {"CORE" if port is Port.LOCAL else port.name: port for port in Port}
    return [
        block(
            "/* Targets of the config port: the node of each switch, then the loader. */",
            {key.upper(): getattr(network, key) for key in sizes},
            {"LOADER": network.layout.loader},
            "#define SYNCFABRIC_NODE(x, y) ((y) * SYNCFABRIC_WIDTH + (x))",
        ),
        block(
            "/* Config addresses: words of a node. */",
            {"ADDRESS_BITS": registers.CONFIG_ADDRESS_BITS} | named("WORD", static.StaticWord),
            "/* Words of the loader. */",
            named("WORD", static.LoaderWord),
            "/* Counter c of a node. */",
            {"COUNTER_BASE": registers.COUNTER_BASE, "COUNTER_BITS": COUNTER_BITS},
            named("COUNTER", registers.Counter),
            "#define SYNCFABRIC_COUNTER(c) (SYNCFABRIC_COUNTER_BASE + (c))",
        ),
        block(
            "/* What a node's agent does, and the command that lets a root begin. */",
            named("ROLE", static.Role) | {"COMMAND_INIT": static.INIT},
        ),
        fields(static.ROLE_WORD),
        fields(static.STATUS_WORD),
        block(
            "/* Ports of a switch, and the chain of all routes. */",
            named("PORT", ports),
            {"OUTPUT_BITS": static.OUTPUT_BITS, "SWITCH_BITS": static.CHAIN_BITS},
            {"CHAIN_BITS": bits, "CHAIN_WORDS": -(-bits // WORD_BITS)},
            _CHAIN,
            "/* Cycles from the write of STROBE until a node may be told its role, at least. */",
            {"SETTLING": SETTLING},
        ),
    ]


def _blocks(network: MessageSpec) -> Iterator[str]:
    """Yield the blocks of a network's header: sizes, addresses, codes, and layouts of words."""
    shape = network.shape
    layout, port = shape.router.layout, shape.router
    targets = "nodes in the order of the network file, then routers."
    sizes = {"NODES": len(shape.nodes), "ROUTERS": shape.routers, "GROUPS": network.groups}
    if isinstance(network, MeshSpec):
        targets = "node (x, y) is y * SYNCFABRIC_WIDTH + x."
        sizes |= {"WIDTH": network.width, "HEIGHT": network.height}
    sizes |= {"PORTS": port.ports, "PORT_REGISTERS": shape.registers}
    sizes |= {"DATA_BITS": network.data_bits, "MANAGERS": len(shape.managers)}
    yield block(
        f"/* Targets of the config chain: {targets} */",
        sizes,
        f"#define SYNCFABRIC_ROUTER(r) ({shape.target_of(0)}u + (r))",
    )
    yield block(
        "/* Config addresses: SYNCFABRIC_TARGET_... | word. An image is staged, then committed. */",
        {"ADDRESS_BITS": ADDRESS_BITS + PART_BITS},
        {f"TARGET_{part.name}": part << ADDRESS_BITS for part in Target},
        {"COMMIT": 0, "IMAGE": IMAGE_ADDRESS, "IMAGE_WORDS": layout.image_words},
        {f"ENGINE_{c.name}": COUNTER_ADDRESS + c for c in EngineCounter},
        named("ROUTER", RouterWord) | named("PORT", PortWord) | {"COUNTER_BITS": COUNTER_BITS},
    )
    yield block("/* Commands of COMMIT, and operations. */", named("CODE", Code) | named("OP", Op))
    for word in (COMMIT, layout.status, layout.name, layout.image, layout.link_message):
        yield fields(word) if word.width <= WORD_BITS else _wide(word)
    if network.managed:
        yield block(
            "/* Managers: words of SYNCFABRIC_TARGET_MANAGER, operations, states, answers. */",
            named("MANAGER", ManagerWord) | named("OPERATION", Operation),
            named("STATE", ManagerState) | named("ANSWER", Answer),
        )
        yield from map(fields, (COMMAND, MANAGER_STATUS, REQUEST, REPLY, FREED))
    if network.channels:
        yield fields(shape.header)


def _wide(layout: Layout) -> str:
    """Return lowest bit and width of each field of several words."""
    prefix = layout.name.upper().replace(" ", "_")
    lines = [f"/* {layout.name.capitalize()}, {layout.width} bits, bit 0 in the first word. */"]
    for field in layout.fields:
        name = f"{prefix}_{field.name.upper()}"
        place = {f"{name}_BIT": layout.offsets[field.name], f"{name}_BITS": field.width}
        lines.append(block(f"/* {field.name}: {field.meaning} */", place))
    return "\n".join(lines)


def core_header() -> str:
    """Return the header of the registers by which a core of any system sees the network.

    Source: docs/microarchitecture-cores.md.
    """
    bases = ("ARRIVE_BASE", "WAIT_BASE", "DONE_BASE", "LAST_BASE", "CONFIG_BASE")
    words = block(
        "/* Byte address of word 0, cores of a system and words of a packet at most. */",
        in_hex({"CORE_REGISTERS": core.CORE_REGISTERS}),
        {"MOST_CORES": core.MOST_CORES, "MOST_WORDS": core.MOST_WORDS},
        "/* The boot block: its first word, and what says that there is no such thing. */",
        in_hex({"BOOT_MAGIC": BOOT_MAGIC, "BOOT_NONE": BOOT_NONE, "BOOT_FENCE": BOOT_FENCE}),
        "/* Words that there is one of. */",
        named("CORE", core.CoreWord),
        "/* Where the words of each register begin, and the config port of the node. */",
        {f"CORE_{name}": getattr(core, name) for name in bases},
    )
    layouts = (core.SHAPE, core.SEND, core.RECV, core.NET_STATUS, core.FLIT_STATUS, core.DONE)
    blocks = [words, *map(fields, (*layouts, core.CONFIG_STATUS))]
    return guarded("SYNCFABRIC_CORE_H", "Registers of a core", blocks)


def tree_blocks(network: MessageSpec) -> str:
    """Return the tables from which a core at a manager's node plans trees and images.

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
    nodes = (f"{{{router}, {1 << port}}}" for router, port in shape.nodes[: core.MOST_CORES])
    first = layout.image.offsets["entry_0"]
    begins = sum(1 << first + p * layout.name.width for p in range(len(layout.named)))
    places = {f"AT_{field}": layout.image.offsets[field.lower()] for field in ("PARENT", "OP")}
    places |= {"AT_NAMES": first, "NAME_BITS": layout.name.width}
    places |= {f"NAME_AT_{field.upper()}": at for field, at in layout.name.offsets.items()}
    names = (f"0x{begins >> WORD_BITS * i & _WORD:x}u" for i in range(layout.image_words))
    return block(
        "",
        "/* Links of router r are at LINK_ROWS[r] to [r + 1] of LINKS: the router at the far end,\n"
        " * the own port, the other end's; of parallel ones the first. Places of the first nodes:\n"
        " * router, and the port's bit. Headers of requests to each router. */",
        _table("LINK_ROWS", map(str, rows)),
        _table("LINKS", links or ["{0, 0, 0}"]),
        _table("NODE_PLACES", nodes),
        _table("SINK_HEADERS", (str(shape.sink_header(r)) for r in range(shape.routers))),
        "/* Nodes with a manager, in the order of the managers' numbers; entries of each\n"
        " * share, and those that a node's port has registers for. */",
        _table("MANAGER_NODES", map(str, shape.managers)),
        {"SHARE_ENTRIES": run, "ENTRY_REGISTERS": shape.entry_registers},
        {"LINK_PORTS": shape.router.links},
        "/* Where fields of an image begin, and those of a name: lowest bits. */",
        places,
        "/* An image in which each name is 1. */",
        _table("NAMES", names),
        f"#define SF_OPERATIONS {operations if network.data_bits else 0}",
        "#define SF_ENGINES",
        "",
    )


def _table(name: str, entries: Iterable[str]) -> str:
    """Return a macro that initializes an array."""
    given = list(entries)
    rows = [", ".join(given[at : at + _LINE]) for at in range(0, len(given), _LINE)]
    text = ", \\\n    ".join(rows)
    return f"#define SYNCFABRIC_{name} {{ \\\n    {text}}}"

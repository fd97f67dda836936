"""C headers (C99) for programs: on a host, on cores, and to set groups up from memory.

Sources: docs/microarchitecture-host.md, H2; docs/microarchitecture-cores.md.
"""

from collections.abc import Iterable, Sequence
from importlib.resources import files

from syncfabric.models.layout.engine import WORD_BITS
from syncfabric.models.layout.setup import owners_of
from syncfabric.models.messages import core, host
from syncfabric.models.messages.boot import BOOT_FENCE, BOOT_MAGIC, BOOT_NONE
from syncfabric.models.messages.host import HostShape
from syncfabric.models.messages.registers import Op
from syncfabric.models.networks.spec import AnySpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up_writes import members, set_up_entries
from syncfabric.models.register_map.c_header import (
    block,
    fields,
    guarded,
    in_hex,
    named,
    prefixed,
)

MOST_TABLED = 255
"""Routers of a network whose links a program holds: a number, and a level, is a byte."""

MOST_SHARED = 16
"""Registers of a node's port that programs' groups have at most: a word holds their epochs."""

_LINE = 12
_WORD = (1 << WORD_BITS) - 1

_MACROS = """\
#define SYNCFABRIC_HOST_CONFIG_PORT(address) (SYNCFABRIC_HOST_CONFIG_WINDOW + (address))
#define SYNCFABRIC_HOST_METER(m, w) \\
    (SYNCFABRIC_HOST_METER_BASE + (m) * SYNCFABRIC_HOST_METER_WORDS + (w))
#define SYNCFABRIC_HOST_HISTOGRAM(m, bin) \\
    SYNCFABRIC_HOST_METER(m, SYNCFABRIC_HOST_HISTOGRAM_BASE + (bin))
#define SYNCFABRIC_HOST_MASK(m, k) SYNCFABRIC_HOST_METER(m, SYNCFABRIC_HOST_MASK_BASE + (k))
#define SYNCFABRIC_HOST_NODE(n, w) \\
    (SYNCFABRIC_HOST_NODE_BASE + (n) * SYNCFABRIC_HOST_NODE_WORDS + (w))
#define SYNCFABRIC_HOST_DATA(n, r) SYNCFABRIC_HOST_NODE(n, SYNCFABRIC_HOST_DATA_BASE + (r))
#define SYNCFABRIC_HOST_RESULT(n, r) SYNCFABRIC_HOST_NODE(n, SYNCFABRIC_HOST_RESULT_BASE + (r))
#define SYNCFABRIC_HOST_WAIT(n, r) SYNCFABRIC_HOST_NODE(n, SYNCFABRIC_HOST_WAIT_BASE + (r))"""
_PLACES = (
    *("CONFIG_WINDOW", "METER_BASE", "METER_WORDS", "HISTOGRAM_BASE", "MASK_BASE"),
    *("NODE_BASE", "NODE_WORDS", "DATA_BASE", "RESULT_BASE", "WAIT_BASE"),
)
_MAPPED = """\
#define SYNCFABRIC_CONFIG_WRITE(base, target, address, value) \\
    ((base)[(target) << SYNCFABRIC_ADDRESS_BITS | (address)] = (value))
#define SYNCFABRIC_CONFIG_READ(base, target, address) \\
    ((base)[(target) << SYNCFABRIC_ADDRESS_BITS | (address)])"""
_OVER_AXI = """\
#define SYNCFABRIC_CONFIG_WRITE syncfabric_config_write
#define SYNCFABRIC_CONFIG_READ syncfabric_config_read"""
_BASE = (
    "base is where the config port is mapped as in @NETWORK@.rdl:\n"
    " * word t << @BITS@ | a is word a of target t."
)
_BASE_OF_AXI = "base is the address of the host, @MODULE@_axi."


def host_header(shape: HostShape, module: str, *, driver: bool, prefix: str = "syncfabric") -> str:
    """Return a C header (C99) of a host's registers.

    Parameters
    ----------
    shape : HostShape
        What the host has to do with.
    module : str
        Name of the top's module.
    driver : bool
        With functions that reach the registers in memory.
    prefix : str
        Of all names.
    """
    blocks = [
        _sizes(shape),
        block(
            "/* Words of the host. Addresses are words: of bytes they are four times as much. */",
            named("HOST", host.GlobalWord),
            "/* Words of meter m: those named, its histogram, its mask. */",
            named("HOST_METER", host.MeterWord) | {"HOST_BINS": host.BINS},
            "/* Words of node n: those named, and DATA, RESULT and WAIT of register r. */",
            named("HOST_NODE", host.NodeWord),
            "/* Where they are. */",
            in_hex({f"HOST_{name}": getattr(host, name) for name in _PLACES}),
            _MACROS,
        ),
        *map(fields, (host.SHAPE, host.INTERRUPT)),
    ]
    if driver:
        blocks.append(_template("c_driver.h").rstrip("\n"))
    return prefixed(guarded(f"{module}_HOST_H", f"Registers of {module}", blocks), prefix)


def _sizes(shape: HostShape) -> str:
    sizes = {
        "REGISTERS": shape.registers,
        "DATA_BITS": shape.data_bits,
        "METERS": shape.meters,
        "MASK_WORDS": shape.mask_words,
        "TARGETS": shape.targets,
        "LAST": int(shape.last),
    }
    said = {
        "ID_VALUE": host.HOST_ID,
        "VERSION_VALUE": host.HOST_VERSION,
        "NODES_VALUE": shape.nodes,
        "SHAPE_VALUE": host.SHAPE.pack(shape.said),
    }
    return block(
        "/* Registers of a node, bits of their data, meters, words of a meter's mask,",
        " * targets of the config port, and whether there is ARRIVE_LAST. */",
        named("HOST", sizes),
        "/* Values of the words of the same names. */",
        in_hex(named("HOST", said)),
    )


def setup_header(plan: BarrierPlan, prefix: str = "", *, axi: bool = False) -> str:
    """Return a C header (C99, freestanding) with ``PREFIX_set_up(base)`` and its table.

    Parameters
    ----------
    plan : BarrierPlan
        With at least one group.
    prefix : str, optional
        Of all names; that of the network's module by default.
    axi : bool
        ``base`` is that of an AXI4-Lite front; else that of the config port by itself.
    """
    spec = plan.spec
    entries = [f"{t}u, {a}u, {kind}u, 0x{v:08x}u" for kind, t, a, v in set_up_entries(plan)]
    rows = [
        f"{node}u, {gid}u, {'SYNCFABRIC_IN_MEMORY' if reg is None else f'{reg}u'}"
        for gid, node, reg in members(plan)
    ]
    registers = block({"PORT_REGISTERS": spec.network.port_registers})
    values = {
        "BASE": _BASE_OF_AXI if axi else _BASE,
        "BITS": str(spec.network.layout.config_address_bits),
        "GUARD": f"{spec.module}_SETUP_H",
        "INCLUDE": f"{spec.name}_{'axi' if axi else 'registers'}.h",
        "ACCESS": _OVER_AXI if axi else _MAPPED,
        "TABLE": _array("SETUP_ENTRIES", "setup_entry", "setup_table", entries),
        "MEMBERS": f"{registers}\n{_array('MEMBERS', 'member', 'members', rows)}",
        "NETWORK": spec.name,
        "MODULE": spec.module,
    }
    text = _template("c_setup.h")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return prefixed(text, prefix or spec.module)


def _array(count: str, kind: str, name: str, entries: Sequence[str]) -> str:
    """Return a table, and the macro that says how many entries it has."""
    head = f"static const syncfabric_{kind} syncfabric_{name}[SYNCFABRIC_{count}] = {{"
    rows = "".join(f"    {{{entry}}},\n" for entry in entries)
    return block({count: len(entries)}, head, f"{rows}}};")


def core_header() -> str:
    """Return the header of the registers by which a core of any system sees the network."""
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
    packets = (core.SHAPE, core.SEND, core.RECV, core.NET_STATUS, core.FLIT_STATUS)
    layouts = (*packets, core.DONE, core.CONFIG_STATUS, core.STREAM, core.STREAM_STATUS)
    blocks = [words, *map(fields, layouts)]
    return guarded("SYNCFABRIC_CORE_H", "Registers of a core", blocks)


def tree_blocks(network: AnySpec) -> str:
    """Return the tables from which a core at a manager's node plans trees and images.

    Without managers, or of more than ``MOST_TABLED`` routers, there are none.
    """
    if isinstance(network, StaticSpec) or not network.managed:
        return ""
    shape = network.shape
    if shape.routers > MOST_TABLED:
        return ""
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
    slots = shape.router.streams  # without a stream they are left to the file's groups
    owners = owners_of(len(shape.managers), layout.entries, slots)
    numbers = [*range(shape.entry_registers), *range(layout.entries, layout.entries + slots)]
    registers = {number: r for number in numbers if (r := shape.register_of(number)) < MOST_SHARED}
    shares = [
        sum(1 << r for number, r in registers.items() if owners.get(number) == manager)
        for manager in range(len(shape.managers))
    ]
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
        "/* Nodes with a manager, in the order of the managers' numbers; of each the registers\n"
        " * of a node's port that groups of its own have, a bit each: those of entries, and those\n"
        " * of slots with a stream, the first of which has the number SLOT. */",
        _table("MANAGER_NODES", map(str, shape.managers)),
        _table("SHARES", map(hex, shares)),
        {"ENTRY_REGISTERS": shape.entry_registers, "SLOT": layout.entries},
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


def _template(name: str) -> str:
    return files("syncfabric.models.register_map").joinpath(name).read_text(encoding="utf-8")

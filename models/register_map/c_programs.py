"""C headers (C99) of what software does: a host's registers and driver, and setting groups up.

Source: docs/microarchitecture-host.md, H2.
"""

from collections.abc import Sequence
from importlib.resources import files

from syncfabric.models.messages import host
from syncfabric.models.messages.host import HostShape
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
        _addresses(),
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


def _addresses() -> str:
    return block(
        "/* Words of the host. Addresses are words: of bytes they are four times as much. */",
        named("HOST", host.GlobalWord),
        "/* Words of meter m: those named, its histogram, its mask. */",
        named("HOST_METER", host.MeterWord) | {"HOST_BINS": host.BINS},
        "/* Words of node n: those named, and DATA, RESULT and WAIT of register r. */",
        named("HOST_NODE", host.NodeWord),
        "/* Where they are. */",
        in_hex({f"HOST_{name}": getattr(host, name) for name in _PLACES}),
        _MACROS,
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


def _template(name: str) -> str:
    return files("syncfabric.models.register_map").joinpath(name).read_text(encoding="utf-8")

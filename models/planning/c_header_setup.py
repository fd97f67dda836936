"""A C header that sets the groups of a plan up: a table of writes, and what performs it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from syncfabric.models.planning.c_text import define, prefixed
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up_writes import members, set_up_entries

__all__ = ["setup_header"]

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
    registers = define("PORT_REGISTERS", spec.network.port_registers)
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
    text = files("syncfabric.models.planning").joinpath("c_setup.h").read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return prefixed(text, prefix or spec.module)


def _array(count: str, kind: str, name: str, entries: Sequence[str]) -> str:
    """Return a table, and the macro that says how many entries it has."""
    head = f"static const syncfabric_{kind} syncfabric_{name}[SYNCFABRIC_{count}] = {{"
    rows = "".join(f"    {{{entry}}},\n" for entry in entries)
    return f"{define(count, len(entries))}\n{head}\n{rows}}};"

"""A C header with a network's register layout and message fields, for software."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.messages import (
    ARRIVED,
    CONFIG_ADDRESS_BITS,
    CONTROL,
    COUNTER_BASE,
    COUNTER_BITS,
    NODE_WORD,
    PARENT_WORD,
    PENDING,
    REGISTER_WORDS,
    STATUS,
    TREE,
    WIRE_STATUS,
    Counter,
    IrregularLayout,
    Layout,
    LinkCounter,
    Op,
    RegisterWord,
    SwitchWord,
    WireWord,
    tripped_at,
)
from syncfabric.models.networks.spec import (
    EngineSpec,
    MeshSpec,
    NetworkSpec,
    RegisterSpec,
    StaticSpec,
)
from syncfabric.models.planning.c_header_engine import engine_blocks
from syncfabric.models.planning.c_header_static import static_blocks
from syncfabric.models.planning.c_text import define, fields, guarded, prefixed

__all__ = ["c_header"]


def c_header(spec: NetworkSpec, prefix: str = "") -> str:
    """Return a C header (C99) with the network's register layout and message fields.

    Its names begin with the prefix, by default that of the network's module.
    """
    network, prefix = spec.network, prefix or spec.module
    guard, where = f"{spec.module}_REGISTERS_H", f"of network {spec.name}"
    if isinstance(network, EngineSpec):
        text = guarded(guard, f"Config words {where}", engine_blocks(network))
        return prefixed(text, prefix)
    if isinstance(network, StaticSpec):
        text = guarded(guard, f"Config words {where}", static_blocks(network))
        return prefixed(text, prefix)
    blocks = [
        _sizes(network),
        _addresses(network),
        _codes(),
        *(fields(layout) for layout in _layouts(network)),
    ]
    if network.has_messages:
        blocks.append(MESH_STRUCT if isinstance(network, MeshSpec) else SWITCH_STRUCT)
    if network.watched:
        blocks.append(_tripped(network))
    if network.wire_plane is not None:
        blocks += [_slots(network), SLOT_STRUCT]
    return prefixed(guarded(guard, f"Barrier registers {where}", blocks), prefix)


def _layouts(network: RegisterSpec) -> Iterator[Layout]:
    """Yield the words of registers and slots, then what travels."""
    layout, mesh = network.layout, isinstance(network, MeshSpec)
    yield CONTROL
    if not mesh or network.wire_plane is not None:
        yield TREE
    if network.has_messages:
        yield from (NODE_WORD, PARENT_WORD, STATUS) if mesh else (ARRIVED, PENDING)
    if network.wire_plane is not None:
        yield WIRE_STATUS
    if network.has_messages:
        yield layout.sync
    if network.channels:
        yield layout.header
        if isinstance(layout, IrregularLayout):
            yield layout.route


MESH_STRUCT = """\
/* One barrier register as the config port sees it, one 32-bit word an address.
 * Write parent and child first, control with its valid bit last; status and result are read only.
 * child: +X, +Y, -X, -Y. */
typedef struct {
    uint32_t control;
    uint32_t parent;
    uint32_t child[4];
    uint32_t status;
    uint32_t result;
} syncfabric_register;"""


SWITCH_STRUCT = """\
/* One barrier register as the config port sees it, one 32-bit word an address.
 * Write tree first, control with its valid bit last; arrived, pending and result are read only. */
typedef struct {
    uint32_t control;
    uint32_t tree;
    uint32_t reserved[3];
    uint32_t arrived;
    uint32_t pending;
    uint32_t result;
} syncfabric_register;"""


SLOT_STRUCT = """\
/* One slot of barrier wires as the config port sees it, one 32-bit word an address.
 * Write tree first, control with its valid bit last; command is write only, status and result are
 * read only. */
typedef struct {
    uint32_t control;
    uint32_t tree;
    uint32_t reserved[2];
    uint32_t command;
    uint32_t status;
    uint32_t unused;
    uint32_t result;
} syncfabric_slot;"""


def _sizes(network: RegisterSpec) -> str:
    if isinstance(network, MeshSpec):
        comment = "/* Node (x, y) has index y * SYNCFABRIC_WIDTH + x. */"
        values = {"WIDTH": network.width, "HEIGHT": network.height}
        macros = []
    else:
        comment = "/* Nodes have the indices of their order in the network file, then switches. */"
        values = {
            "PORTS": network.ports,
            "SWITCHES": network.switches,
            "NODES": len(network.nodes),
        }
        macros = ["#define SYNCFABRIC_SWITCH(s) (SYNCFABRIC_NODES + (s))"]
    values["REGISTERS"] = network.message_registers
    values["DATA_BITS"] = network.data_bits
    return "\n".join([comment, *(define(name, value) for name, value in values.items()), *macros])


def _addresses(network: RegisterSpec) -> str:
    values = {"ADDRESS_BITS": CONFIG_ADDRESS_BITS, "REGISTER_WORDS": REGISTER_WORDS}
    if network.has_messages:
        words = RegisterWord if isinstance(network, MeshSpec) else SwitchWord
        values |= {f"WORD_{word.name}": int(word) for word in words}
    values |= {"COUNTER_BASE": COUNTER_BASE, "COUNTER_BITS": COUNTER_BITS}
    values |= {f"COUNTER_{counter.name}": int(counter) for counter in Counter}
    if network.guarded:
        values |= {f"COUNTER_{counter.name}": int(counter) for counter in LinkCounter}
    comment = "/* Config addresses: word w of register r; counter c. */"
    macros = [
        "#define SYNCFABRIC_REGISTER(r, w) ((r) * SYNCFABRIC_REGISTER_WORDS + (w))",
        "#define SYNCFABRIC_COUNTER(c) (SYNCFABRIC_COUNTER_BASE + (c))",
    ]
    return "\n".join([comment, *(define(name, value) for name, value in values.items()), *macros])


def _slots(network: RegisterSpec) -> str:
    values = {"SLOTS": network.barrier_registers, "FIRST_SLOT": network.first_slot}
    values |= {f"SLOT_WORD_{word.name}": int(word) for word in WireWord}
    comment = "/* Slots of barrier wires: word w of slot s; among registers they come last. */"
    macro = "#define SYNCFABRIC_SLOT(s, w) SYNCFABRIC_REGISTER(SYNCFABRIC_FIRST_SLOT + (s), (w))"
    return "\n".join([comment, *(define(name, value) for name, value in values.items()), macro])


def _tripped(network: RegisterSpec) -> str:
    """Say where a register tells that its watchdog has released the process."""
    word = STATUS if isinstance(network, MeshSpec) else ARRIVED
    at = tripped_at(word, managed=network.managed)
    return f"/* Bit of the {word.name}: the watchdog tripped. */\n{define('TRIPPED_SHIFT', at)}"


def _codes() -> str:
    return "\n".join(
        [
            "/* Operations. */",
            *(define(f"OP_{operation.name}", int(operation)) for operation in Op),
        ]
    )

"""What a C header says of the config words of a network of collective engines."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.layout.engine import (
    ADDRESS_BITS,
    COMMIT,
    COUNTER_ADDRESS,
    IMAGE_ADDRESS,
    WORD_BITS,
    Code,
    EngineCounter,
)
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.network_words import PART_BITS
from syncfabric.models.layout.node import PortWord, RouterWord, Target
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
)
from syncfabric.models.messages import COUNTER_BITS, Op
from syncfabric.models.messages.layout import Layout
from syncfabric.models.networks.spec import MeshSpec, MessageSpec
from syncfabric.models.planning.c_text import define, defines, fields

__all__ = ["engine_blocks"]


def engine_blocks(network: MessageSpec) -> Iterator[str]:
    """Yield the blocks of the header: sizes, addresses, codes, and the layouts of words."""
    shape = network.shape
    yield _sizes(network)
    yield _addresses(shape)
    codes: list[tuple[str, type[Code] | type[Op]]] = [("CODE", Code), ("OP", Op)]
    lines = ["/* Commands of COMMIT, and operations. */"]
    lines += [define(f"{name}_{code.name}", code) for name, kind in codes for code in kind]
    yield "\n".join(lines)
    for layout in _layouts(shape):
        if layout.width <= WORD_BITS:
            yield fields(layout)
        else:
            yield _wide(layout)
    if network.managed:
        yield _managers()
        yield from (fields(layout) for layout in (COMMAND, MANAGER_STATUS, REQUEST, REPLY, FREED))
    if network.channels:
        yield fields(shape.header)


def _sizes(network: MessageSpec) -> str:
    shape = network.shape
    values = {"NODES": len(shape.nodes), "ROUTERS": shape.routers, "GROUPS": network.groups}
    comment = (
        "/* Targets of the config chain: nodes in the order of the network file, then routers. */"
    )
    if isinstance(network, MeshSpec):
        comment = "/* Targets of the config chain: node (x, y) is y * SYNCFABRIC_WIDTH + x. */"
        values |= {"WIDTH": network.width, "HEIGHT": network.height}
    values |= {"PORTS": shape.router.ports, "PORT_REGISTERS": shape.registers}
    values |= {"DATA_BITS": network.data_bits, "MANAGERS": len(shape.managers)}
    macro = f"#define SYNCFABRIC_ROUTER(r) ({shape.target_of(0)}u + (r))"
    return "\n".join([comment, *defines(values), macro])


def _addresses(shape: NetworkShape) -> str:
    values = {"ADDRESS_BITS": ADDRESS_BITS + PART_BITS}
    values |= {f"TARGET_{part.name}": part << ADDRESS_BITS for part in Target}
    values |= {"COMMIT": 0, "IMAGE": IMAGE_ADDRESS}
    values |= {"IMAGE_WORDS": shape.router.layout.image_words}
    values |= {f"ENGINE_{c.name}": COUNTER_ADDRESS + c for c in EngineCounter}
    router = {f"ROUTER_{w.name}": int(w) for w in RouterWord}
    port = {f"PORT_{w.name}": int(w) for w in PortWord}
    values |= router | port | {"COUNTER_BITS": COUNTER_BITS}
    comment = (
        "/* Config addresses: SYNCFABRIC_TARGET_... | word. An image is staged, then committed. */"
    )
    return "\n".join([comment, *defines(values)])


def _layouts(shape: NetworkShape) -> tuple[Layout, ...]:
    layout = shape.router.layout
    return COMMIT, layout.status, layout.name, layout.image, layout.link_message


def _wide(layout: Layout) -> str:
    """Return lowest bit and width of each field of several words."""
    prefix = layout.name.upper().replace(" ", "_")
    lines = [f"/* {layout.name.capitalize()}, {layout.width} bits, bit 0 in the first word. */"]
    for field in layout.fields:
        name = f"{prefix}_{field.name.upper()}"
        lines.append(f"/* {field.name}: {field.meaning} */")
        lines += [define(f"{name}_BIT", layout.offsets[field.name])]
        lines += [define(f"{name}_BITS", field.width)]
    return "\n".join(lines)


def _managers() -> str:
    lines = ["/* Managers: words of SYNCFABRIC_TARGET_MANAGER, operations, states, answers. */"]
    lines += [define(f"MANAGER_{word.name}", word) for word in ManagerWord]
    lines += [define(f"OPERATION_{operation.name}", operation) for operation in Operation]
    lines += [define(f"STATE_{state.name}", state) for state in ManagerState]
    lines += [define(f"ANSWER_{answer.name}", answer) for answer in Answer]
    return "\n".join(lines)

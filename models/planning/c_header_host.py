"""A C header of a host's registers, with what a driver does with them.

Source: docs/microarchitecture-host.md, H2.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from syncfabric.models.messages.host import (
    BINS,
    CONFIG_WINDOW,
    DATA_BASE,
    HISTOGRAM_BASE,
    HOST_ID,
    HOST_VERSION,
    INTERRUPT,
    MASK_BASE,
    METER_BASE,
    METER_WORDS,
    NODE_BASE,
    NODE_WORDS,
    RESULT_BASE,
    SHAPE,
    WAIT_BASE,
    GlobalWord,
    HostShape,
    MeterWord,
    NodeWord,
)
from syncfabric.models.planning.c_text import define, defines, fields, guarded, prefixed

__all__ = ["host_header"]

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
        *(fields(layout) for layout in (SHAPE, INTERRUPT)),
    ]
    if driver:
        text = files("syncfabric.models.planning").joinpath("c_driver.h")
        blocks.append(text.read_text(encoding="utf-8").rstrip("\n"))
    return prefixed(guarded(f"{module}_HOST_H", f"Registers of {module}", blocks), prefix)


def _sizes(shape: HostShape) -> str:
    values = {
        "REGISTERS": shape.registers,
        "DATA_BITS": shape.data_bits,
        "METERS": shape.meters,
        "MASK_WORDS": shape.mask_words,
        "TARGETS": shape.targets,
        "LAST": int(shape.last),
    }
    said = {
        "ID_VALUE": HOST_ID,
        "VERSION_VALUE": HOST_VERSION,
        "NODES_VALUE": shape.nodes,
        "SHAPE_VALUE": SHAPE.pack(shape.said),
    }
    return "\n".join(
        [
            "/* Registers of a node, bits of their data, meters, words of a meter's mask,",
            " * targets of the config port, and whether there is ARRIVE_LAST. */",
            *_defines(values),
            "/* What the words of these names read. */",
            *(define(f"HOST_{name}", value, as_hex=True) for name, value in said.items()),
        ]
    )


def _addresses() -> str:
    bases = {
        "CONFIG_WINDOW": CONFIG_WINDOW,
        "METER_BASE": METER_BASE,
        "METER_WORDS": METER_WORDS,
        "HISTOGRAM_BASE": HISTOGRAM_BASE,
        "MASK_BASE": MASK_BASE,
        "NODE_BASE": NODE_BASE,
        "NODE_WORDS": NODE_WORDS,
        "DATA_BASE": DATA_BASE,
        "RESULT_BASE": RESULT_BASE,
        "WAIT_BASE": WAIT_BASE,
    }
    return "\n".join(
        [
            "/* Words of the host. Addresses are words: of bytes they are four times as much. */",
            *_defines({word.name: int(word) for word in GlobalWord}),
            "/* Words of meter m: those named, its histogram, its mask. */",
            *_defines({f"METER_{word.name}": int(word) for word in MeterWord} | {"BINS": BINS}),
            "/* Words of node n: those named, and DATA, RESULT and WAIT of register r. */",
            *_defines({f"NODE_{word.name}": int(word) for word in NodeWord}),
            "/* Where they are. */",
            *(define(f"HOST_{name}", value, as_hex=True) for name, value in bases.items()),
            _MACROS,
        ]
    )


def _defines(values: Mapping[str, int]) -> list[str]:
    return defines({f"HOST_{name}": value for name, value in values.items()})

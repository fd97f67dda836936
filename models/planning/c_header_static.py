"""What the C header of a static network names: its targets, their words, and the route chain."""

from __future__ import annotations

from syncfabric.models.messages import (
    CHAIN_BITS,
    CONFIG_ADDRESS_BITS,
    COUNTER_BASE,
    COUNTER_BITS,
    INIT,
    OUTPUT_BITS,
    ROLE_WORD,
    STATUS_WORD,
    Counter,
    LoaderWord,
    Role,
    StaticWord,
)
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.c_text import block, fields, named
from syncfabric.models.planning.route_chain import WORD_BITS
from syncfabric.models.planning.static_images import SETTLING

__all__ = ["static_blocks"]


CHAIN = """\
/* Bits of the chain: output p of switch s selects input i (another port than p), or is flushed. */
#define SYNCFABRIC_SELECT(s, p, i) \\
    ((s) * SYNCFABRIC_SWITCH_BITS + (p) * SYNCFABRIC_OUTPUT_BITS + (i) - ((i) > (p)))
#define SYNCFABRIC_FLUSH(s, p) \\
    ((s) * SYNCFABRIC_SWITCH_BITS + (p) * SYNCFABRIC_OUTPUT_BITS + SYNCFABRIC_OUTPUT_BITS - 1u)
/* Which of the words that are written to SHIFT, from 0 on, has bit b of the chain, and where. */
#define SYNCFABRIC_CHAIN_WORD(b) (SYNCFABRIC_CHAIN_WORDS - 1u - (b) / 32u)
#define SYNCFABRIC_CHAIN_SHIFT(b) (31u - (b) % 32u)"""


def static_blocks(network: StaticSpec) -> list[str]:
    """Return the blocks of a static network's C header.

    Source: docs/microarchitecture-static.md, R3 and R5.
    """
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
            {"ADDRESS_BITS": CONFIG_ADDRESS_BITS} | named("WORD", StaticWord),
            "/* Words of the loader. */",
            named("WORD", LoaderWord),
            "/* Counter c of a node. */",
            {"COUNTER_BASE": COUNTER_BASE, "COUNTER_BITS": COUNTER_BITS},
            named("COUNTER", Counter),
            "#define SYNCFABRIC_COUNTER(c) (SYNCFABRIC_COUNTER_BASE + (c))",
        ),
        block(
            "/* What a node's agent does, and the command that lets a root begin. */",
            named("ROLE", Role) | {"COMMAND_INIT": INIT},
        ),
        fields(ROLE_WORD),
        fields(STATUS_WORD),
        block(
            "/* Ports of a switch, and the chain of all routes. */",
            named("PORT", ports),
            {"OUTPUT_BITS": OUTPUT_BITS, "SWITCH_BITS": CHAIN_BITS},
            {"CHAIN_BITS": bits, "CHAIN_WORDS": -(-bits // WORD_BITS)},
            CHAIN,
            "/* Cycles from the write of STROBE until a node may be told its role, at least. */",
            {"SETTLING": SETTLING},
        ),
    ]

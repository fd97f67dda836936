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
from syncfabric.models.planning.c_text import defines, fields
from syncfabric.models.planning.route_chain import WORD_BITS
from syncfabric.models.planning.static_images import SETTLING

__all__ = ["static_blocks"]


def static_blocks(network: StaticSpec) -> list[str]:
    """Return the blocks of a static network's C header.

    Source: docs/microarchitecture-static.md, R3 and R5.
    """
    return [
        _sizes(network),
        _addresses(),
        _codes(),
        fields(ROLE_WORD),
        fields(STATUS_WORD),
        _chain(network),
    ]


def _sizes(network: StaticSpec) -> str:
    values = {
        "WIDTH": network.width,
        "HEIGHT": network.height,
        "FLIT_BITS": network.flit_bits,
        "SWITCH_BUFFER": network.switch_buffer,
        "CORE_BUFFER": network.core_buffer,
        "INJECTION_BUFFER": network.injection_buffer,
        "LOADER": network.layout.loader,
    }
    return "\n".join(
        [
            "/* Targets of the config port: the node of each switch, then the loader. */",
            *defines(values),
            "#define SYNCFABRIC_NODE(x, y) ((y) * SYNCFABRIC_WIDTH + (x))",
        ]
    )


def _addresses() -> str:
    values = {"ADDRESS_BITS": CONFIG_ADDRESS_BITS}
    values |= {f"WORD_{word.name}": int(word) for word in StaticWord}
    loader = {f"WORD_{word.name}": int(word) for word in LoaderWord}
    counters = {"COUNTER_BASE": COUNTER_BASE, "COUNTER_BITS": COUNTER_BITS}
    counters |= {f"COUNTER_{counter.name}": int(counter) for counter in Counter}
    return "\n".join(
        [
            "/* Config addresses: words of a node. */",
            *defines(values),
            "/* Words of the loader. */",
            *defines(loader),
            "/* Counter c of a node. */",
            *defines(counters),
            "#define SYNCFABRIC_COUNTER(c) (SYNCFABRIC_COUNTER_BASE + (c))",
        ]
    )


def _codes() -> str:
    return "\n".join(
        [
            "/* What a node's agent does, and the command that lets a root begin. */",
            *defines({f"ROLE_{role.name}": int(role) for role in Role}),
            *defines({"COMMAND_INIT": INIT}),
        ]
    )


CHAIN = """\
/* Bits of the chain: output p of switch s selects input i (another port than p), or is flushed. */
#define SYNCFABRIC_SELECT(s, p, i) \\
    ((s) * SYNCFABRIC_SWITCH_BITS + (p) * SYNCFABRIC_OUTPUT_BITS + (i) - ((i) > (p)))
#define SYNCFABRIC_FLUSH(s, p) \\
    ((s) * SYNCFABRIC_SWITCH_BITS + (p) * SYNCFABRIC_OUTPUT_BITS + SYNCFABRIC_OUTPUT_BITS - 1u)
/* Which of the words that are written to SHIFT, from 0 on, has bit b of the chain, and where. */
#define SYNCFABRIC_CHAIN_WORD(b) (SYNCFABRIC_CHAIN_WORDS - 1u - (b) / 32u)
#define SYNCFABRIC_CHAIN_SHIFT(b) (31u - (b) % 32u)"""


def _chain(network: StaticSpec) -> str:
    values = {f"PORT_{_name(port)}": int(port) for port in Port}
    values |= {
        "OUTPUT_BITS": OUTPUT_BITS,
        "SWITCH_BITS": CHAIN_BITS,
        "CHAIN_BITS": network.layout.chain_bits,
        "CHAIN_WORDS": -(-network.layout.chain_bits // WORD_BITS),
    }
    return "\n".join(
        [
            "/* Ports of a switch, and the chain of all routes. */",
            *defines(values),
            CHAIN,
            "/* Cycles from the write of STROBE until a node may be told its role, at least. */",
            *defines({"SETTLING": SETTLING}),
        ]
    )


def _name(port: Port) -> str:
    return "CORE" if port is Port.LOCAL else port.name

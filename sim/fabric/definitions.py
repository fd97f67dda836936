"""What the fabric's C++ must know of a network: the file ``network.h``."""

from collections.abc import Iterator

from syncfabric.models.networks.spec import (
    AnySpec,
    MessageSpec,
    StaticSpec,
)
from syncfabric.rtl.traffic.headers import header_words
from syncfabric.sim.assemble.bench import REPORT
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.assemble.network import link_wires
from syncfabric.sim.fabric.nodes import definitions as of_nodes

__all__ = ["definitions"]

_PACKETS = {
    "valid": "&NOTHING",
    "sync_valid": "&NOTHING",
    "credit": "&NOTHING",
    "sync_credit": "&NOTHING",
    "flush": "&NOTHING",
    "flit": "nullptr",
    "sync": "nullptr",
    "rest": "nullptr",
}
_GUARDS = ("check", "sync_check", "probe", "empty")
"""What a link's end has for packets and messages, and what stands for each that is not there."""

_WIDE = ("flit", "sync", "rest", "slots_valid", "slots")
"""The wires whose type depends on their number."""


def definitions(spec: AnySpec) -> str:
    """Return ``network.h``: sizes, tables, and the macros that name the tiles' ports."""
    links, wires = links_of(spec), link_wires(spec)
    sizes = {
        "NODES": len(spec.topology.nodes),
        "REGISTERS": spec.port_registers,
        "DATA_BITS": spec.data_bits,
        "CHANNELS": links.channels + links.setup,
        "CLASSES": links.classes,
        "BREAKS_ALL": int(not isinstance(spec, StaticSpec)),
        "FLIT_BITS": wires.get("flit", 0),
        "SYNC_BITS": wires.get("sync", 0),
        "REST_BITS": wires.get("rest", 0),
        "CHECK_BITS": max(wires.get("check", 0), wires.get("sync_check", 0)),
        "PROBES": wires.get("probe", 0),
        "OWN": int("sync" in wires),
        "SLOTS": wires.get("slots_valid", 0),
        "SLOT_BITS": wires.get("slots", 0) // max(1, wires.get("slots_valid", 0)),
    }
    end = [f"&t.name##_{wire}" if wire in wires else other for wire, other in _PACKETS.items()]
    guards = {"check", "sync_check"} & wires.keys()
    if guards:
        end += [f"&t.name##_{wire}" if wire in wires else "&NOTHING" for wire in _GUARDS]
    end += ["&t.name##_slots_valid", "&t.name##_slots"] if "slots" in wires else []
    types = (f"TYPE_OF(Tile::name##_{wire})" if wire in wires else "CData" for wire in _WIDE)
    macros = {
        "FOR_DATA(...)": "__VA_ARGS__" if spec.data_bits else "",
        "FOR_LAST(...)": "" if isinstance(spec, StaticSpec) else "__VA_ARGS__",
        "FOR_BROKEN(...)": "" if isinstance(spec, StaticSpec) else "__VA_ARGS__",
        "FOR_MANAGERS(...)": "__VA_ARGS__" if spec.managed else "",
        "FOR_GUARDS(...)": "__VA_ARGS__" if guards else "",
        "FOR_PACKETS(...)": "__VA_ARGS__" if "flit" in wires else "",
        "FOR_SLOTS(...)": "__VA_ARGS__" if "slots" in wires else "",
        "FOR_CHAIN(...)": "" if isinstance(spec, StaticSpec) else "__VA_ARGS__",
        "PORT_END(t, name)": f"{{{', '.join(end)}}}",
        "END_OF(Tile, name)": f"EndOf<{', '.join(types)}>",
    }
    lines = ["#pragma once", "#include <cstdint>"]
    lines += [f"constexpr int {name} = {value};" for name, value in sizes.items()]
    lines += [f"#define {name} {text}" for name, text in macros.items()]
    if isinstance(spec, StaticSpec):
        lines.append(f"constexpr int WIDTH = {spec.width}, HEIGHT = {spec.height};")
    else:
        lines += [*_of_messages(spec), *of_nodes(spec)]
    return "\n".join(lines) + "\n"


def _of_messages(spec: MessageSpec) -> Iterator[str]:
    """Yield what ``messages.h`` must know."""
    managers = [spec.topology.index(node) for node in spec.manager_nodes] or [-1]
    yield f"constexpr int MANAGERS[] = {{{', '.join(map(str, managers))}}};"
    if spec.channels:
        yield f"constexpr uint64_t HEADERS[] = {{{', '.join(map(str, header_words(spec)))}}};"
        words = "; ".join(f"hex(line, t->{name}), line += ' '" for name in REPORT)
        yield f"#define REPORT_WORDS(t, line) {words}"

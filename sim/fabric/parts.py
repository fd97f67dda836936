"""What a network's fabric is built from: its program, tiles, tables and ``network.h``."""

from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch
from itertools import chain
from typing import Any

from syncfabric.models.networks.spec import AnySpec, MessageSpec, StaticSpec
from syncfabric.rtl.traffic.headers import header_words
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.assemble.modules import entry_memory
from syncfabric.sim.assemble.network import link_wires
from syncfabric.sim.assemble.nodes import constants_of_router, routes_of
from syncfabric.sim.assemble.parts import parts_of as parts
from syncfabric.sim.fabric.nodes import ROUTER_TILE, tiles
from syncfabric.sim.fabric.static import tiles as static_tiles


def _of_links(ports: Sequence[str], *, interfaces: bool) -> list[str]:
    """Return where routers or switches are linked, as lines of C++ and of its preprocessor.

    ``ports`` are the names of a router's link ports, ``##end`` in the place of ``in`` or ``out``.
    """
    ends = ", ".join(f"PORT_END(t, {port})" for port in ports)
    return [
        f"#define INTERFACES {int(interfaces)}",
        f"constexpr int LINKS_OF = {len(ports)};",
        f"#define PORT_ENDS(t, end) {ends}",
    ]


def _linked(spec: AnySpec, links: int) -> tuple[list[int], list[int]]:
    """Return to what each link port of all routers is linked, -1 for none, and where nodes are."""
    graph = spec.topology.graph
    ends = [graph.across(r, p) for r in range(graph.switches) for p in range(links)]
    across = [-1 if end is None else links * end[0] + end[1] for end in ends]
    return across, [links * r + p for r, p in graph.nodes]


def _of_nodes(spec: MessageSpec) -> list[str]:
    """Return what ``nodes.cpp`` must know of a network, as lines of C++ and of its preprocessor."""
    shape = spec.shape
    links = shape.router.links
    lines = [
        '#include "bits.h"',
        '#include "tables.h"',
        f"#define REGISTERED {int(shape.stage > 0)}",
        *_of_links([f"end##_{p}" for p in range(links)], interfaces=shape.interfaces),
    ]
    sets = []
    for name, (width, _) in constants_of_router(spec, 0).items():
        if name == "routes":
            bits, count = width // shape.routers, shape.routers
            put = f"put(t.routes, d * {bits}, {bits}, routes[{count} * r + d]);"
            sets.append(
                f'const auto& routes = table("routes"); for (int d = 0; d < {count}; ++d) {put}'
            )
        else:
            sets.append(f't.{name} = table("{name}")[r];')
    body = " ".join(sets)
    lines.append(f"template <class T> void constants(T& t, int r) {{ {body} (void)t, (void)r; }}")
    return lines


def tables_text(spec: MessageSpec) -> str:
    """Return what a program of these tiles reads of a network: a table a line, named.

    Networks whose tiles are alike have one program.
    """
    shape = spec.shape
    links = shape.router.links
    places = [(r, p) for r in range(shape.routers) for p in range(links)]
    across, attached = _linked(spec, links)
    rows = [constants_of_router(spec, r) for r in range(shape.routers)]
    found: dict[str, Iterable[int]] = {
        "sizes": (len(shape.nodes), shape.routers, sum(map(shape.stages_of, shape.ends))),
        "across": across,
        "stages": (shape.stages_of(place) if place in shape.ends else 0 for place in places),
        "places": attached if shape.interfaces else (),
        "managers": [spec.topology.index(node) for node in spec.manager_nodes],
        "headers": header_words(spec) if spec.channels else (),
        **{name: [row[name][1] for row in rows] for name in rows[0] if name != "routes"},
    }
    if "routes" in rows[0]:
        found["routes"] = chain.from_iterable(routes_of(spec))
    return "".join(f"{name} {' '.join(map(str, row))}\n" for name, row in found.items())


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
_STREAMS = ("stream_valid", "stream", "stream_rest", "stream_fault", "stream_credit")
_STREAM_GUARDS = ("stream_sent", "stream_freed")
_GUARDS = ("check", "sync_check", "sequence", "probe", "empty")
"""What a link's end has for packets and messages, and what stands for each that is not there."""

_WIDE = (
    *("flit", "sync", "rest", "slots_valid", "slots", "stream", "stream_rest"),
    *_STREAM_GUARDS,
    "probe",
)
"""The wires whose type depends on their number."""


def network_h(spec: AnySpec) -> str:
    """Return ``network.h``: sizes, tables, and the macros that name the tiles' ports."""
    links, wires = links_of(spec), link_wires(spec)
    sizes = {
        "REGISTERS": spec.port_registers,
        "DATA_BITS": spec.data_bits,
        "CHANNELS": links.channels + links.setup,
        "CLASSES": links.classes,
        "BREAKS_ALL": int(spec.ends_groups),
        "FLIT_BITS": wires.get("flit", 0),
        "SYNC_BITS": wires.get("sync", 0),
        "REST_BITS": wires.get("rest", 0),
        "CHECK_BITS": max(wires.get("check", 0), wires.get("sync_check", 0)),
        "PROBES": wires.get("probe", 0),
        "SEQUENCE_BITS": wires.get("sequence", 0),
        "OWN": int("sync" in wires),
        "SLOTS": wires.get("slots_valid", 0),
        "SLOT_BITS": wires.get("slots", 0) // max(1, wires.get("slots_valid", 0)),
        "STREAMS": links.streams,
        "STREAM_BITS": wires.get("stream", 0),
        "STREAM_REST_BITS": wires.get("stream_rest", 0),
        "SENT_BITS": wires.get("stream_sent", 0),
        "FREED_BITS": wires.get("stream_freed", 0),
    }
    end = [f"&t.name##_{wire}" if wire in wires else other for wire, other in _PACKETS.items()]
    guards = {"check", "sync_check"} & wires.keys()
    if guards:
        end += [f"&t.name##_{wire}" if wire in wires else "&NOTHING" for wire in _GUARDS]
    end += ["&t.name##_slots_valid", "&t.name##_slots"] if "slots" in wires else []
    for wire in (*_STREAMS, *_STREAM_GUARDS) if links.streams else ():
        end.append(f"&t.name##_{wire}" if wire in wires else "&NOTHING")
    types = (f"TYPE_OF(Tile::name##_{wire})" if wire in wires else "CData" for wire in _WIDE)
    gates = spec.clock_enables
    built = {
        "DATA": spec.data_bits,
        **dict.fromkeys(("LAST", "BROKEN", "CHAIN"), spec.ends_groups),
        "MANAGERS": spec.managed,
        "GUARDS": guards,
        "PACKETS": "flit" in wires,
        "SLOTS": "slots" in wires,
        "STREAMS": links.streams,
        "CYCLE": links.streams or "flit" in wires,
        "GATES": gates,
    }
    macros = {
        **{f"FOR_{part}(...)": "__VA_ARGS__" if there else "" for part, there in built.items()},
        "PORT_END(t, name)": f"{{{', '.join(end)}}}",
        "END_OF(Tile, name)": f"EndOf<{', '.join(types)}>",
    }
    lines = ["#pragma once", "#include <cstdint>"]
    lines += [f"constexpr int {name} = {value};" for name, value in sizes.items()]
    lines += [f"#define {name} {text}" for name, text in macros.items()]
    lines += ["#define CLOCK_GATES"] if gates else []
    return "\n".join([*lines, *_of_program(spec)]) + "\n"


@singledispatch
def _of_program(spec: Any) -> Iterator[str]:
    """Yield what the program of a network must know of it."""
    yield from _of_messages(spec)
    yield from _of_nodes(spec)


@_of_program.register
def _(spec: StaticSpec) -> Iterator[str]:
    graph, names = spec.graph, spec.link_names
    yield f"constexpr int COLUMNS = {graph.columns};"
    yield f"#define SWITCH_END(Tile) END_OF(Tile, {names[0]}_out)"
    yield from _of_links([f"{name}_##end" for name in names], interfaces=not graph.own)
    yield f"constexpr int NODES = {len(graph.nodes)}, ROUTERS = {graph.switches};"
    for name, row in zip(("ACROSS", "PLACES"), _linked(spec, len(names)), strict=True):
        yield f"constexpr int {name}[] = {{{', '.join(map(str, row))}}};"


def _of_messages(spec: MessageSpec) -> Iterator[str]:
    """Yield what ``messages.h`` must know."""
    for each in parts(spec):
        yield from each.macros()
    engine, inside = spec.shape.router.layout, f"node.{entry_memory(spec.shape)}".split(".")
    path = "__DOT__".join((ROUTER_TILE, *inside))
    words = "; ".join(
        f"hex(line, t.rootp->{path}__DOT__{name}[k]), line += ' '" for name in engine.memories
    )
    yield f"constexpr int ENTRIES = {engine.entries};"
    yield f"#define ENTRY_WORDS(t, line, k) {words}"


@singledispatch
def parts_of(spec: Any, *, queue: int, waves: bool) -> tuple[str, dict[str, str], str]:
    """Return a network's program, its tiles, and the tables that it reads."""
    return "nodes.cpp", tiles(spec, queue=queue, waves=waves), tables_text(spec)


@parts_of.register
def _(spec: StaticSpec, *, queue: int, waves: bool) -> tuple[str, dict[str, str], str]:
    return "static.cpp", static_tiles(spec), ""

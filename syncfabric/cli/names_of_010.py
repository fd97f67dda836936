"""Names of release 0.1.0 that are taken, or written, for one release beside those of today.

Options, ready-made networks and blocks under an old name work, with a line on standard error.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import typer

from syncfabric.models.errors import SpecError
from syncfabric.models.ranks import rank_started

OPTIONS = {
    ("recover", "--patience"): "--timeout",
    ("soak", "--life"): "--lifetime",
    ("soak", "--spoil"): "--inject",
}
"""Options by command and old name, and their names now."""

NETWORKS = {"own-links": "mesh-8x8"}
BLOCKS = {
    "mesh-router": "router-engine",
    "mesh-router-plain": "router-xy",
    "irregular-sync-8": "engine-8",
    "mesh-wires": "slots",
}
VALUES = {
    ("cores", "barrier"): {"btm": "engine", "btin": "engine"},
    ("cores", "network"): NETWORKS,
    ("synth", "design"): NETWORKS | BLOCKS,
    ("build", "design"): NETWORKS | BLOCKS,
    ("report", "inputs"): NETWORKS,
    ("campaign", "kinds"): {"forged": "injected", "posed": "spoofed"},
    **{
        (command, "net"): NETWORKS
        for command in (
            *("bitstream", "board", "campaign", "plan", "recover", "run", "schemes", "soak"),
        )
    },
}
"""Values by command and parameter: the old ones, and what they are now."""

NO_NETWORKS = {
    "spill-4x4": "a router holds up to 256 groups (groups in [network]); take soak-4x4",
    "paper-route": "reductions go back over the links of their distributions; take fig1",
}
_BITS = "--set data_bits=4 --set operations=bitwise"
_SERIAL = "an engine takes its place; take router-engine"
_COUNTERS = "take router-engine with --set counters=true"
_WIRES = "take router-engine for the router, and slots for the wires beside it"
NO_BLOCKS = {
    "mesh-router-counters": _COUNTERS,
    "mesh-router-data": f"take router-engine with {_BITS}",
    "mesh-router-serial": _SERIAL,
    "mesh-router-serial-data": f"{_SERIAL} with {_BITS}",
    "mesh-router-serial-counters": f"{_SERIAL} with --set counters=true",
    "mesh-router-serial-shipped": "an engine takes its place; take router-engine-full",
    "mesh-router-spill": "a router holds up to 256 groups; take router-engine-256",
    "mesh-router-shipped": "take router-engine-full",
    **dict.fromkeys(("mesh-router-wires", "mesh-router-wires-counters"), _WIRES),
    "mesh-router-wires-shipped": f"{_WIRES} with {_BITS}",
    **dict.fromkeys(("mesh-barrier", "mesh-barrier-serial"), f"take engine-4 with {_BITS}"),
    "mesh-barrier-spill": "an engine holds up to 256 groups; take engine-4 with --set groups=256",
    "irregular-switch-8": "take router-engine, or a network with ports = 8",
    "irregular-switch-8-wires": "take slots, or a network with ports = 8 and wires = 4",
    "mesh-wires-data": f"take slots with {_BITS}",
    "mesh-wires-shared": "a slot has wires of its own in both directions; take slots",
    "mesh-wires-parity": "check bits take its place; take slots",
    "mesh-wires-16": "take slots with --set wires=16",
    "irregular-wires-8": "take slots, or a network with ports = 8 and wires = 4",
}
GONE = {
    ("cores", "barrier"): {
        "wires": "engine is for groups on wires, too; give the network a group of all cores with "
        'planner = "wires", and take engine'
    },
    **{
        place: NO_NETWORKS | (NO_BLOCKS if place[1] == "design" else {})
        for place in VALUES
        if place != ("cores", "barrier")
    },
}
"""Values that have no counterpart, and what to take in their place."""

Row = dict[str, Any]


def _slot(group: Row, plan: Row) -> int | None:
    """Return a group's slot of barrier wires; as entries, slots come after those of engines."""
    from syncfabric.models.layout.engine import entries_of
    from syncfabric.models.layout.slots import WIRE_PLANNER

    if group["planner"] != WIRE_PLANNER:
        return None
    return int(group["entries"][0]["entry"]) - entries_of(plan["settings"]["groups"])


FIELDS: dict[str, tuple[tuple[str, str, str, Callable[[Row, Row], Any]], ...]] = {
    "plan": (
        ("settings", "barrier_registers", "groups", lambda table, _: table["groups"]),
        ("settings", "sync_links", "message_links", lambda table, _: table["message_links"]),
        ("settings", "cycles_per_hop", "output_register", lambda t, _: 1 + t["output_register"]),
        ("groups", "slot", "entries", _slot),
    ),
    "campaign": (("kinds", "told", "reported_by", lambda kind, _: kind["reported_by"]),),
    "run": (("churn", "lives", "instances", lambda churn, _: churn["instances"]),),
    "soak": (("groups", "lives", "instances", lambda group, _: group["instances"]),),
}
"""Fields of ``--json`` by command: table, old name, name now, value from row and whole."""


def todays_options(command: str, words: Sequence[str]) -> list[str]:
    """Return a command's words with its options under their names of today.

    What follows a bare ``--`` is no option.
    """
    names = {old: new for (of, old), new in OPTIONS.items() if of == command}
    found = []
    options = True
    for word in words:
        options &= word != "--"
        name, sign, value = word.partition("=")
        if options and name in names:
            _warn(f"{name} is called {names[name]} now; the old name goes with the next release")
            word = names[name] + sign + value
        found.append(word)
    return found


def todays_values(command: str, values: dict[str, Any]) -> None:
    """Put today's values in place of old ones, in a command's parsed parameters.

    A file or folder that has an old name is meant itself.

    Raises
    ------
    SpecError
        A value has left without a counterpart.
    """
    for name, value in values.items():
        place = command, name
        if place not in VALUES:
            continue
        if isinstance(value, list):
            values[name] = [_today(place, one) for one in value]
        elif isinstance(value, str):
            values[name] = ",".join(_today(place, one) for one in value.split(","))


def _today(place: tuple[str, str], value: str) -> str:
    known, gone = VALUES[place], GONE[place]
    if (value not in known and value not in gone) or Path(value).exists():
        return value
    if value in gone:
        raise SpecError(f'"{value}" is gone since 0.1.0: {gone[value]}')
    _warn(f"{value} is called {known[value]} now; the old name goes with the next release")
    return known[value]


def with_old_fields(command: str, values: Row) -> Row:
    """Write fields of a command's JSON under their old names, beside those of today."""
    for table, old, new, value in FIELDS[command]:
        rows = values[table] or ()
        for row in rows if isinstance(rows, (list, tuple)) else [rows]:
            if new in row and row[new] is not None:
                row[old] = value(row, values)
    return values


def _warn(line: str) -> None:
    if rank_started() == 0:
        typer.echo(f"warning: {line}", err=True)

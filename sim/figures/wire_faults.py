"""Broken barrier wires: what becomes of a group with the check, with parity, and with neither."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product
from operator import add

from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.wires.faults import DATA, LEVELS, Outcome, mesh_tree, suffer
from syncfabric.models.wires.rules import Rules
from syncfabric.models.wires.tree import Tree
from syncfabric.sim.figures.row import Row

__all__ = ["wire_faults"]

SOME: dict[tuple[int, int], list[Node]] = {
    (2, 2): [(0, 0), (1, 0)],
    (3, 2): [(0, 0), (2, 0), (0, 1)],
    (3, 3): [(0, 0), (2, 0), (0, 2), (2, 2)],
}
"""Meshes, and a group of some of their nodes; its tree passes through others."""
PROTECTION = {
    "neither": Rules(check=False),
    "check": Rules(),
    "check and parity": Rules(parity=True),
}
LENGTHS = {"stuck": None, "for 1 to 5 cycles": (1, 2, 3, 4, 5)}
WIRES = {"": LEVELS, "data wire, ": DATA}
REGISTERS = (0, 1)
SEEDS = range(4)


def wire_faults() -> Iterator[Row]:
    """Wire faults: every barrier wire of small meshes, in every cycle of an episode."""
    groups = dict(_groups())
    early = {(name, group): 0 for name in PROTECTION for group in groups}
    counted = dict.fromkeys(groups, 0)
    for (words, wires), (name, rules) in product(WIRES.items(), PROTECTION.items()):
        for (how, lengths), value in product(LENGTHS.items(), (0, 1)):
            outcomes = {
                group: _suffered(tree, rules, value, lengths, wires)
                for group, tree in groups.items()
            }
            for group, outcome in outcomes.items():
                early[name, group] += outcome.early
                counted[group] += outcome.all * rules.parity
            total = reduce(add, outcomes.values())
            safe = rules.parity or (rules.check and value == 0) or wires is DATA
            met = total.early == 0 and not (rules.parity and total.wrong)
            target = "0 early, 0 wrong" if rules.parity else "0 early"
            yield Row(
                f"{words}{name}: {how} at {value}",
                _told(total),
                target if safe else "",
                met if safe else None,
            )
    for group, count in counted.items():
        told = " / ".join(f"{early[name, group]:,}" for name in PROTECTION)
        yield Row(f"{group}: early with {' / '.join(PROTECTION)}", f"{told} of {count:,}")


def _suffered(
    tree: Tree, rules: Rules, value: int, lengths: tuple[int, ...] | None, wires: tuple[str, ...]
) -> Outcome:
    return reduce(
        add,
        (suffer(tree, registers, rules, value, lengths, SEEDS, wires) for registers in REGISTERS),
    )


def _groups() -> Iterator[tuple[str, Tree]]:
    for (width, height), some in SOME.items():
        mesh = Mesh(width, height)
        for members in (mesh.nodes, some):
            yield f"{width}x{height}, group of {len(members)}", mesh_tree(mesh, members)


def _told(outcome: Outcome) -> str:
    return (
        f"{outcome.early:,} early, {outcome.wrong:,} wrong, {outcome.found:,} found, "
        f"{outcome.hangs:,} hang, {outcome.harmless:,} harmless"
    )

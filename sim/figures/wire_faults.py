"""Broken barrier wires: what becomes of a group with the check, with parity, and with neither."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.wires.faults import Outcome, mesh_tree, suffer
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
REGISTERS = (0, 1)
SEEDS = range(4)


def wire_faults() -> Iterator[Row]:
    """Wire faults: every barrier wire of small meshes, in every cycle of an episode."""
    groups = dict(_groups())
    none = Outcome(0, 0, 0, 0)
    by_group = {(name, group): none for name in PROTECTION for group in groups}
    for name, rules in PROTECTION.items():
        for words, lengths in LENGTHS.items():
            for value in (0, 1):
                total = none
                for group, tree in groups.items():
                    for registers in REGISTERS:
                        outcome = suffer(tree, registers, rules, value, lengths, SEEDS)
                        by_group[name, group] += outcome
                        total += outcome
                safe = rules.parity or (rules.check and value == 0)
                yield Row(
                    f"{name}: {words} at {value}",
                    _told(total),
                    "0 early" if safe else "",
                    total.early == 0 if safe else None,
                )
    for group in groups:
        parts = [by_group[name, group] for name in PROTECTION]
        early = " / ".join(f"{part.early:,}" for part in parts)
        yield Row(f"{group}: early with {' / '.join(PROTECTION)}", f"{early} of {parts[0].all:,}")


def _groups() -> Iterator[tuple[str, Tree]]:
    for (width, height), some in SOME.items():
        mesh = Mesh(width, height)
        for members in (mesh.nodes, some):
            yield f"{width}x{height}, group of {len(members)}", mesh_tree(mesh, members)


def _told(outcome: Outcome) -> str:
    return (
        f"{outcome.early:,} early, {outcome.found:,} found, {outcome.hangs:,} hang, "
        f"{outcome.harmless:,} harmless"
    )

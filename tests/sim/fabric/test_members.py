"""Members that arrive by themselves, against their rules in Python."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from syncfabric.models.traffic import seeds, xorshift32
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric
from tests.sim.fabric.groups import give
from tests.sim.fabric.test_idle import WIRES, begin, plan_for

SEED, CYCLES = 5, 600
REGISTERS, DATA = WIRES.port_registers, WIRES.data_bits


@dataclass
class Member:
    """One member: when it arrives, and with what."""

    node: int
    register: int
    jitter: int
    inside: bool = False
    left: int = 0

    def go_on(self, state: int, released: bool) -> int | None:
        """Go on for a cycle; return the data if it arrives."""
        by = 5 * self.register % 32
        word = (state << by | state >> 32 - by) & 0xFFFF_FFFF
        if self.inside and released:
            self.inside, self.left = False, word & self.jitter
        elif self.inside:
            return None
        elif self.left:
            self.left -= 1
        if self.left:
            return None
        self.inside = True
        return word & (1 << DATA) - 1


def releases(probe: Path) -> dict[int, int]:
    """Return the releases, a bit a register, by cycle."""
    lines = (line.split() for line in probe.read_text().splitlines() if line[0] != "o")
    return {int(words[0], 16): int(words[3], 16) for words in lines}


def arrivals(first: int, released: dict[int, int], jitter: int) -> Iterator[Stimulus]:
    """Yield what members do who are released so, from a cycle on."""
    nodes = WIRES.topology.nodes
    seated = [
        Member(nodes.index(node), place, jitter)
        for group in plan_for(WIRES).groups
        for node, place in group.places.items()
    ]
    state = seeds(len(nodes), SEED)[0]
    for cycle in range(first, first + CYCLES):
        for member in seated:
            bit = member.node * REGISTERS + member.register
            let_go = bool(released.get(cycle, 0) >> bit & 1)
            data = member.go_on(int(state[member.node]), let_go)
            if data is not None:
                yield Stimulus(cycle, StimulusKind.ARRIVE, bit, data)
        state = xorshift32(state)


@pytest.mark.parametrize("jitter", [0, 7, 255])
def test_a_script_of_what_members_do_has_the_same_trace(jitter: int, tmp_path: Path) -> None:
    probe, scripted = tmp_path / "probe.txt", tmp_path / "scripted.txt"
    with Fabric(build_fabric(WIRES)) as fabric:
        fabric.probe(probe)
        begin(fabric, WIRES, jitter=jitter)
        fabric.run(CYCLES)
        counts = fabric.watch()
    text, released = probe.read_text(), releases(probe)
    with Fabric(build_fabric(WIRES)) as fabric:
        fabric.probe(scripted)
        first = begin(fabric, WIRES)
        give(fabric, list(arrivals(first, released, jitter)), tmp_path)
        fabric.run(CYCLES)
        assert fabric.watch() == counts
    assert scripted.read_text() == text
    assert all(count.episodes >= 2 and count.errors == 0 for count in counts)

"""The synchronization plane, word by word from docs/microarchitecture.md: slow and plain.

Every router and every slot is visited in every cycle. Ordinary flits are left out: they have no
effect on synchronization messages, whose class never waits for them (section 3).
"""

from collections.abc import Mapping
from typing import NamedTuple

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.networks.spec import MeshSpec
from tests.models.golden.literal_unit import HERE, LiteralUnit, onward

__all__ = ["LiteralMesh", "Seen"]

UNIT = 4
STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))


class Seen(NamedTuple):
    """What is on the wires in a cycle; links are (node, output port), lanes (*link, class)."""

    wires: dict[tuple[int, int, int], int]
    credit: set[tuple[int, int, int]]


class LiteralMesh:
    """All routers of a mesh; ``release`` and ``answer`` are what is high in the next cycle."""

    unit_type: type[LiteralUnit] = LiteralUnit

    def __init__(self, network: MeshSpec) -> None:
        self.nodes = [(x, y) for y in range(network.height) for x in range(network.width)]
        self.layout = network.layout
        self.units = [self.unit_type(network, here) for here in self.nodes]
        ports = [(n, port) for n in range(len(self.nodes)) for port in range(4)]
        lanes = [(*port, sync_class) for port in ports for sync_class in range(2)]
        self.slots: dict[tuple[int, int, int], int | None] = dict.fromkeys(lanes)
        self.credits = dict.fromkeys(lanes, 1)
        self.presented_last = dict.fromkeys(ports, 1)
        self.shown_last = dict.fromkeys(ports, 1)
        self.orders = {port: [0, 1, 2, 3, UNIT] for port in ports}
        self.freed: set[tuple[int, int, int]] = set()
        self.started = False

    @property
    def release(self) -> list[tuple[int, int, int]]:
        return [(n, *released) for n, unit in enumerate(self.units) for released in unit.release]

    @property
    def answer(self) -> tuple[bool, bool, int]:
        answers = [unit.answer for unit in self.units if unit.answer[0]]
        return answers[0] if answers else (False, False, 0)

    def other_end(self, node: int, port: int) -> tuple[int, int] | None:
        """Return node and port at a link's other end; it is the same for both directions."""
        x, y = self.nodes[node][0] + STEPS[port][0], self.nodes[node][1] + STEPS[port][1]
        return (self.nodes.index((x, y)), (port + 2) % 4) if (x, y) in self.nodes else None

    def step(
        self,
        arrive: Mapping[tuple[int, int], int],
        start: bool,
        config: ConfigRequest | None,
    ) -> Seen:
        """Advance one clock."""
        wires: dict[tuple[int, int, int], int] = {}
        freed: set[tuple[int, int, int]] = set()
        sent = []
        for n in range(len(self.nodes)):
            presented = {port: self.present(n, port) for port in range(4)}
            routed = {port: found for port, found in presented.items() if found is not None}
            shows = {port: self.show(n, port) for port in range(4)}
            shown = {port: found for port, found in shows.items() if found is not None}
            taken = self.units[n].take(
                shown,
                {r: data for (node, r), data in arrive.items() if node == n},
                config if config is not None and config.node == n else None,
                self.started,
            )
            credits = {(o, c): self.credits[n, o, c] for o in range(4) for c in range(2)}
            offers = self.units[n].offer(credits)
            sent_by_unit, forwarded = [], set()
            for output in range(4):
                for candidate in self.orders[n, output]:
                    if candidate == UNIT and output in offers:
                        sync_class, message, place = offers[output]
                        sent_by_unit.append(place)
                    elif candidate in routed and routed[candidate][0] == output:
                        _, sync_class, message = routed[candidate]
                        forwarded.add(candidate)
                    else:
                        continue
                    wires[n, output, sync_class] = message
                    self.orders[n, output].remove(candidate)
                    self.orders[n, output].append(candidate)
                    break
            freed |= {(n, port, shown[port][0]) for port in taken}
            freed |= {(n, port, routed[port][1]) for port in forwarded}
            sent.append(sent_by_unit)
        seen = Seen(wires, {self.upstream(lane) for lane in self.freed})
        self.edge(wires, freed, sent)
        self.started |= start
        return seen

    def present(self, n: int, port: int) -> tuple[int, int, int] | None:
        """Return (output, class, message) that an input presents."""
        eligible = []
        for sync_class, message, out in self.occupied(n, port):
            if out != HERE and self.credits[n, out, sync_class] >= 1:
                eligible.append((out, sync_class, message))
        if not eligible:
            return None
        chosen = eligible[0]
        if len(eligible) == 2:
            chosen = eligible[1 - self.presented_last[n, port]]
        self.presented_last[n, port] = chosen[1]
        return chosen

    def show(self, n: int, port: int) -> tuple[int, int] | None:
        """Return (class, message) that an input shows the barrier unit."""
        here = {c: message for c, message, out in self.occupied(n, port) if out == HERE}
        if not here:
            return None
        chosen = 1 - self.shown_last[n, port]
        if chosen not in here:
            chosen = 1 - chosen
        self.shown_last[n, port] = chosen
        return chosen, here[chosen]

    def occupied(self, n: int, port: int) -> list[tuple[int, int, int]]:
        """Return (class, message, route) of an input's slots that are occupied."""
        found = []
        for sync_class in range(2):
            message = self.slots[n, port, sync_class]
            if message is not None:
                out = onward(self.nodes[n], self.destination(message), sync_class, port)
                found.append((sync_class, message, out))
        return found

    def destination(self, message: int) -> tuple[int, int]:
        fields = self.layout.sync.unpack(message)
        return fields["x"], fields["y"]

    def upstream(self, lane: tuple[int, int, int]) -> tuple[int, int, int]:
        """Return the output lane that feeds an input lane, or the input lane it feeds."""
        other = self.other_end(lane[0], lane[1])
        assert other is not None, "a credit came from beyond the rim"
        return (*other, lane[2])

    def edge(
        self,
        wires: dict[tuple[int, int, int], int],
        freed: set[tuple[int, int, int]],
        sent: list[list[int]],
    ) -> None:
        overflow = [0] * len(self.nodes)
        full = {lane for lane, message in self.slots.items() if message is not None}
        for lane in freed:
            self.slots[lane] = None
        for lane, message in wires.items():
            self.credits[lane] -= 1
            if self.other_end(lane[0], lane[1]) is None:  # over the rim: no credit comes back
                continue
            end = self.upstream(lane)
            if end in full:
                overflow[end[0]] += 1
            else:
                self.slots[end] = message
        for lane in self.freed:
            self.credits[self.upstream(lane)] += 1
        self.freed = freed
        for n, unit in enumerate(self.units):
            unit.edge(sent[n], overflow[n])

"""The golden model of barrier wires beside the literal one, with the same inputs."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.wire_wiring import WireWiring
from syncfabric.models.golden.wires import WireModel, WireRecord
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.wires import WirePlane
from tests.models.golden.literal_wires import LiteralWires, Wires
from tests.models.planning.irregular import draw_network

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
NOTHING = WireRecord(0, 0, 0, 0, 0)


class Place:
    """A network's units: links and process of each, where links lead, and output numbers."""

    def __init__(self) -> None:
        self.units: list[tuple[int, bool]] = []
        self.ends: dict[tuple[int, int], tuple[int, int]] = {}
        self.number: dict[tuple[int, int], int] = {}
        self.late = False
        self.wiring: WireWiring

    @classmethod
    def mesh(cls, width: int, height: int) -> Place:
        place = cls()
        place.units = [(4, True)] * (width * height)
        for x in range(width):
            for y in range(height):
                for port, (right, up) in enumerate(STEPS):
                    place.number[y * width + x, port] = 4 * (y * width + x) + port
                    if 0 <= x + right < width and 0 <= y + up < height:
                        far = (y + up) * width + x + right
                        place.ends[y * width + x, port] = (far, (port + 2) % 4)
        place.wiring = WireWiring.of_mesh(Mesh(width, height))
        return place

    @classmethod
    def irregular(cls, rng: random.Random) -> Place:
        place, k = cls(), rng.choice((3, 4, 5))
        drawn = draw_network(rng, rng.randint(1, 4), rng.randint(0, 2), rng.randint(2, 5), k)
        n = len(drawn.nodes)
        place.late = True
        place.units = [(1, True)] * n + [(k, False)] * drawn.switches
        for (a, p), (b, q) in drawn.links:
            place.ends[n + a, p] = (n + b, q)
            place.ends[n + b, q] = (n + a, p)
        for node, (switch, port) in enumerate(drawn.nodes):
            place.ends[node, 0] = (n + switch, port)
            place.ends[n + switch, port] = (node, 0)
            place.number[node, 0] = k * drawn.switches + node
        for switch in range(drawn.switches):
            place.number |= {(n + switch, port): k * switch + port for port in range(k)}
        place.wiring = WireWiring.of_irregular(drawn)
        return place


def random_place(rng: random.Random) -> Place:
    if rng.random() < 0.5:
        return Place.mesh(*rng.choice([(1, 1), (2, 1), (1, 3), (2, 2), (3, 2), (3, 3)]))
    return Place.irregular(rng)


class WireRace:
    """Both models, compared in every cycle."""

    def __init__(self, place: Place, plane: WirePlane, first: int = 0) -> None:
        self.place, self.plane, self.first = place, plane, first
        self.model = WireModel(place.wiring, plane, first=first)
        self.literal = LiteralWires(place.units, place.ends, plane, place.late)
        self.seen: list[int] = [0] * len(place.units)
        self.released: list[tuple[int, int, int, bool]] = []

    @property
    def now(self) -> int:
        return self.literal.cycle

    def act(
        self,
        arrive: Mapping[tuple[int, int], int] | None = None,
        config: tuple[int, int, bool, int] | None = None,
    ) -> None:
        """Go through a cycle."""
        model, literal, plane, now = self.model, self.literal, self.plane, self.now
        arrive = arrive or {}
        released = [
            (u, r, slot.result)
            for u, unit in enumerate(literal.units)
            for r, slot in enumerate(unit.slots)
            if slot.released
        ]
        assert model.config_answer == literal.answer, f"cycle {now}"
        first = self.first
        assert model.release == [(u, first + r, d) for u, r, d in released], f"cycle {now}"
        self.released = [(u, r, d, self.slot(u, r).broken == 1) for u, r, d in released]
        for u, unit in enumerate(literal.units):
            told = literal.observe(u)
            assert model.observe(u) == told, f"cycle {now}, unit {u}"
            assert told == self.seen[u] or u in model.touched, f"cycle {now}, unit {u}: asleep"
            self.seen[u] = told
            for r, slot in enumerate(unit.slots):
                if unit.process:
                    ready = slot.live and bool(slot.children >> unit.links & 1)
                    assert model.ready(u, first + r) is ready
                    assert model.done(u, first + r) == slot.done
                    assert model.broken(u, first + r) == slot.broken
        model.touched.clear()
        request = None
        if config is not None:
            node, address, write, data = config
            offset = 8 * first if address < 1024 else 0
            request = ConfigRequest(node, address + offset, write, data)
        awaited = model.record()
        record = model.step(
            arrive={(u, first + r): data for (u, r), data in arrive.items()}, config=request
        )
        assert record == awaited
        driven = literal.step(arrive, config)
        record = record or NOTHING
        assert record.release == sum(1 << u * plane.slots + r for u, r, _ in released)
        assert list(record.results) == [d for _, _, d in released]
        self._compare(record, driven)

    def _compare(self, record: WireRecord, driven: Mapping[tuple[int, int], Wires]) -> None:
        plane = self.plane
        sums = dict.fromkeys(("up", "down", "parity", "up_data", "down_data"), 0)
        for link, wires in driven.items():
            number = self.place.number[link]
            for (wire, r), value in wires.items():
                if wire == "parity":
                    sums[wire] += value << number
                elif wire in ("up", "down"):
                    sums[wire] += value << number * plane.slots + r
                elif wires[wire.removesuffix("_data"), r]:
                    sums[wire] += value << (number * plane.slots + r) * plane.data_bits
        assert record._asdict() | sums == record._asdict(), f"cycle {self.now - 1}"

    def slot(self, unit: int, r: int):  # type: ignore[no-untyped-def]
        return self.literal.units[unit].slots[r]

    def stick(self, link: tuple[int, int], wires: Iterable[tuple[str, int, int]]) -> None:
        """Let wires of a link be stuck from now on: kind, slot, value (data: all bits)."""
        self.literal.stuck = {
            key: value for key, value in self.literal.stuck.items() if key[0] != link
        }
        low = high = 0
        form = self.model.form
        for wire, r, value in wires:
            self.literal.stuck[link, wire, r] = value
            at, width = self._at(wire, r)
            high |= value << at
            low |= (~value & (1 << width) - 1) << at
        assert form.width < 1 << 20
        self.model.stick(self.place.number[link], low=low, high=high)

    def _at(self, wire: str, r: int) -> tuple[int, int]:
        slots, bits = self.plane.slots, self.plane.data_bits
        runs = {"up": 0, "down": slots, "up_data": 2 * slots, "down_data": (2 + bits) * slots}
        parity = 2 * slots * (1 + bits)
        if self.plane.shared:
            runs, parity = {"up": 0, "up_data": slots}, slots * (1 + bits)
        if wire == "parity":
            return parity, 1
        data = wire.endswith("data")
        return runs[wire] + r * (bits if data else 1), bits if data else 1

"""The golden model of barrier wires beside the literal one, with the same inputs."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.models.networks.wires import WirePlane
from tests.models.golden.literal_wires import LiteralWires, Wires
from tests.models.golden.wire_nets import wired_mesh, wired_switches, wires_in
from tests.models.planning.irregular import draw_network

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))


class Place:
    """A network's units: links and process of each, where links lead, and output numbers."""

    def __init__(self) -> None:
        self.units: list[tuple[int, bool]] = []
        self.ends: dict[tuple[int, int], tuple[int, int]] = {}
        self.number: dict[tuple[int, int], int] = {}
        self.late = False
        self.width, self.height = 0, 0
        self.drawn: Irregular | None = None

    def network(self, plane: WirePlane) -> RegisterSpec:
        """Return the network of wires alone."""
        if self.drawn is not None:
            return wired_switches(self.drawn, plane)
        return wired_mesh(self.width, self.height, plane)

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
        place.width, place.height = width, height
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
        place.drawn = drawn
        return place


def random_place(rng: random.Random) -> Place:
    if rng.random() < 0.5:
        return Place.mesh(*rng.choice([(1, 1), (2, 1), (1, 3), (2, 2), (3, 2), (3, 3)]))
    return Place.irregular(rng)


class WireRace:
    """Both models, compared in every cycle."""

    def __init__(self, place: Place, plane: WirePlane) -> None:
        self.place, self.plane = place, plane
        self.model = model_of(place.network(plane))
        self.shown: dict[int, int] = {}
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
        assert model.release == released, f"cycle {now}"
        self.released = [(u, r, d, self.slot(u, r).broken == 1) for u, r, d in released]
        for u, unit in enumerate(literal.units):
            told = literal.observe(u)
            assert model.observe(u) == told, f"cycle {now}, unit {u}"
            assert told == self.seen[u] or u in model.touched, f"cycle {now}, unit {u}: asleep"
            self.seen[u] = told
            for r, slot in enumerate(unit.slots):
                if unit.process:
                    ready = slot.live and bool(slot.children >> unit.links & 1)
                    assert model.ready(u, r) is ready
                    assert model.done(u, r) == slot.done
                    assert model.broken(u, r) == slot.broken
        model.touched.clear()
        idle_until = model.idle_until()
        record = model.step(arrive=arrive, config=ConfigRequest(*config) if config else None)
        shown = self._shown(literal.step(arrive, config))
        changed = [(link, word) for link, word in shown.items() if word != self.shown[link]]
        self.shown = shown
        if record is None:
            assert not changed, f"cycle {now}"
            assert not released, f"cycle {now}"
            return
        assert idle_until == now or arrive or config, f"cycle {now}: said to be idle"
        assert list(record.wires) == sorted(changed), f"cycle {now}"
        assert record.release == sum(1 << u * plane.slots + r for u, r, _ in released)
        assert list(record.results) == [d for _, _, d in released]
        assert (record.valid, record.credit, list(record.payloads)) == (0, 0, [])

    def _shown(self, driven: Mapping[tuple[int, int], Wires]) -> dict[int, int]:
        """Return each link's word as section W7 has it compared."""
        found = {}
        for link, wires in driven.items():
            number = self.place.number[link]
            self.shown.setdefault(number, 0)
            found[number] = sum(
                value << self._at(wire, r)[0]
                for (wire, r), value in wires.items()
                if not wire.endswith("_data") or wires[wire.removesuffix("_data"), r]
            )
        return found

    def slot(self, unit: int, r: int):  # type: ignore[no-untyped-def]
        return self.literal.units[unit].slots[r]

    def stick(self, link: tuple[int, int], wires: Iterable[tuple[str, int, int]]) -> None:
        """Let wires of a link be stuck from now on: kind, slot, value (data: all bits)."""
        self.literal.stuck = {
            key: value for key, value in self.literal.stuck.items() if key[0] != link
        }
        low = high = 0
        for wire, r, value in wires:
            self.literal.stuck[link, wire, r] = value
            at, width = self._at(wire, r)
            high |= value << at
            low |= (~value & (1 << width) - 1) << at
        wires_in(self.model).stick(self.place.number[link], low=low, high=high)

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

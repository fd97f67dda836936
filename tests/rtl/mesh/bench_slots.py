"""The two slots of an input against a table of what waits in them, and what waits for the node."""

import random
from dataclasses import dataclass, field
from typing import Any

import cocotb

from syncfabric.models.networks.mesh import Port, Turn
from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.mesh.wormhole import destinations
from tests.rtl.support import Bench, Scoreboard

HERE = (1, 2)


def network(**options: Any) -> MeshSpec:
    return MeshSpec(kind="mesh", width=4, height=5, **options)


CASES: dict[str, tuple[MeshSpec, int]] = {
    "east": (network(), 0),
    "north_serial": (network(operations="all"), 1),
    "west_own": (network(channels=0), 2),
    "south_serial_own": (network(sync_links="own", operations="all"), 3),
}


@dataclass
class SlotsModel:
    """Section 3 of the contract for one input.

    Attributes
    ----------
    waits : dict of class to (bits, output)
    presented, shown : int
        Classes last presented, and last shown to the unit.
    credit : int
        High in this cycle.
    """

    waits: dict[int, tuple[int, int]] = field(default_factory=dict)
    presented: int = 1
    shown: int = 1
    credit: int = 0

    def choose(self, has_credit: int) -> tuple[int | None, int | None]:
        """Return the classes that are presented and shown."""
        ways = {turn: way for turn, (_, way) in self.waits.items()}
        eligible = [
            t for t, way in ways.items() if way != Port.LOCAL and has_credit >> 2 * way + t & 1
        ]
        here = [turn for turn, way in ways.items() if way == Port.LOCAL]
        return self._next(eligible, self.presented), self._next(here, self.shown)

    def step(
        self,
        present: int | None,
        free: bool,
        show: int | None,
        take: bool,
        sync: tuple[int, int, int] | None,
    ) -> None:
        """End the cycle."""
        before, self.credit = set(self.waits), 0
        for turn, leaves in ((present, free), (show, take)):
            if turn is not None and leaves:
                del self.waits[turn]
                self.credit |= 1 << turn
        self.presented = self.presented if present is None else present
        self.shown = self.shown if show is None else show
        if sync is not None and sync[0] not in before:
            self.waits[sync[0]] = sync[1:]

    @staticmethod
    def _next(classes: list[int], last: int) -> int | None:
        if not classes:
            return None
        return 1 - last if len(classes) == 2 else classes[0]


def next_sync(rng: random.Random, spec: MeshSpec, port: int, turn: Turn) -> tuple[int, int, int]:
    """Return class, bits and output of a message."""
    ways = destinations(spec.mesh, HERE, port, turn)
    there = HERE if rng.random() < 0.3 else rng.choice(ways)
    fields = {f.name: rng.getrandbits(f.width) for f in spec.layout.sync.fields}
    bits = spec.layout.sync.pack({**fields, "x": there[0], "y": there[1], "turn": turn})
    output = Port.LOCAL if there == HERE else spec.mesh.first_port(HERE, there, turn)
    return int(turn), bits, int(output)


@cocotb.test()
@cocotb.parametrize(case=list(CASES), well_behaved=[True, False])
async def slots_agree_with_table(dut: Any, case: str, well_behaved: bool) -> None:
    """Turns of both classes, credits, routes; an ill-behaved sender sends to occupied slots."""
    spec, port = CASES[case]
    waiting, own = spec.operations == "all", spec.sync_links == "own"
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, model = bench.pins[case], board.rng, SlotsModel()
    presented, shown, overflows = [0, 0], [0, 0], 0
    await bench.reset()
    pins.drive({"x": HERE[0], "y": HERE[1]})
    for cycle in range(900):
        sync = None
        turn = rng.choice([None, Turn.X_FIRST, Turn.Y_FIRST])
        if turn is not None and not (turn in model.waits and well_behaved):
            sync = next_sync(rng, spec, port, turn)
        has_credit = rng.getrandbits(8)
        present, show = model.choose(has_credit)
        free = present is not None and rng.random() < 0.5
        take = show is not None and (not waiting or rng.random() < 0.5)
        occupied = sync is not None and sync[0] in model.waits
        stimulus = {
            "valid": 0 if sync is None else 1 << sync[0],
            "message": rng.getrandbits(spec.layout.sync.width) if sync is None else sync[1],
            "has_credit": has_credit,
            "free": free,
            "take": take,
        }
        pins.drive(stimulus)
        await bench.settle()
        expected = {
            "credit": model.credit,
            "overflow": occupied,
            "store": 0 if sync is None or occupied else 1,
            "presents": present is not None,
            "present": 0 if present is None else 1 << present,
            "route": 0 if present is None else 1 << model.waits[present][1],
            "show": 0 if show is None else 1 << show,
        }
        if show is not None:
            expected["shown"] = model.waits[show][0]
        if own and present is not None:
            expected["sync"] = model.waits[present][0]
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        overflows += occupied
        if present is not None:
            presented[present] += 1
        if show is not None:
            shown[show] += 1
        model.step(present, free, show, take, sync)
        await bench.edge()
    assert min(presented) > 40
    assert min(shown) > 40
    assert bool(overflows) != well_behaved


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def both_classes_present_in_turn(dut: Any, case: str) -> None:
    """Two messages that nobody takes are presented one after the other, class 0 first."""
    spec, port = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins = bench.pins[case]
    await bench.reset()
    pins.drive({"x": HERE[0], "y": HERE[1], "has_credit": 0xFF})
    opposite = {0: (0, 2), 1: (1, 0), 2: (3, 2), 3: (1, 4)}[port]
    for turn in (1, 0):
        fields = {"x": opposite[0], "y": opposite[1], "turn": turn}
        zeros = {f.name: 0 for f in spec.layout.sync.fields}
        pins.drive({"valid": 1 << turn, "message": spec.layout.sync.pack({**zeros, **fields})})
        await bench.edge()
    pins.drive({"valid": 0})
    seen = []
    for _ in range(6):
        await bench.settle()
        seen.append(pins["present"])
        await bench.edge()
    assert seen == [1, 2, 1, 2, 1, 2], board.name

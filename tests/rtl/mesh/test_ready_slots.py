# amaranth: UnusedElaboratable=no
"""Slots that present from flip-flops against a table of what waits in them (section 4.7)."""

import random
from typing import Any

import pytest
from amaranth.sim import Simulator, SimulatorContext

from syncfabric.models.networks.mesh import Port, Turn
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.mesh.ready_slots import ReadySlots
from syncfabric.rtl.mesh.sync_input import SyncInput
from tests.rtl.mesh.bench_slots import HERE, network, next_sync
from tests.rtl.support import SEED, ports

CASES: dict[str, tuple[MeshSpec, int]] = {
    "east": (network(barrier_unit="serial"), 0),
    "north_own": (network(barrier_unit="serial", sync_links="own"), 1),
    "west": (network(barrier_unit="serial"), 2),
    "south_own": (network(barrier_unit="serial", channels=0), 3),
}
CYCLES = 700


class ReadySlotsModel:
    """The slots of one input.

    Attributes
    ----------
    waits : dict of class to (bits, output)
    came : int or None
        The class of the message that came in the last cycle.
    known : int
        Classes and outputs that had a credit in the last cycle, or got one.
    held : bool
        That a message for this node was not to be presented.
    last : int
        The class that a message was last taken of.
    """

    def __init__(self) -> None:
        self.waits: dict[int, tuple[int, int]] = {}
        self.came: int | None = None
        self.known, self.held, self.last = 0, False, 1

    def present(self) -> int | None:
        """Return the class that is presented."""
        found = [turn for turn, (_, way) in self.waits.items() if self._may(turn, way)]
        if len(found) == 2:
            return 1 - self.last
        return found[0] if found else None

    def _may(self, turn: int, way: int) -> bool:
        if turn == self.came:
            return True
        return not self.held if way == Port.LOCAL else bool(self.known >> 2 * way + turn & 1)

    def step(self, leaves: int | None, sync: tuple[int, int, int] | None) -> None:
        """End the cycle: a class leaves, a message comes."""
        full = set(self.waits)
        if leaves is not None:
            del self.waits[leaves]
            self.last = leaves
        self.came = None
        if sync is not None and sync[0] not in full:
            self.came, self.waits[sync[0]] = sync[0], sync[1:]


@pytest.mark.parametrize("case", list(CASES))
def test_every_cycle_is_the_table_s(case: str) -> None:
    """Both classes, credits that come and go; in phases messages come for occupied slots."""
    spec, port = CASES[case]
    part, rng, model = SyncInput(spec, port), random.Random(f"{case} {SEED}"), ReadySlotsModel()
    totals = dict.fromkeys(("class 0", "class 1", "in vain", "both", "overflow"), 0)

    async def bench(sim: SimulatorContext) -> None:
        freed = 0
        sim.set(part.x, HERE[0])
        sim.set(part.y, HERE[1])
        for cycle in range(CYCLES):
            sync = None
            turn = rng.choice([None, Turn.X_FIRST, Turn.Y_FIRST])
            if turn is not None and not (turn in model.waits and cycle % 100 < 80):
                sync = next_sync(rng, spec, port, turn)
            credits, coming = rng.getrandbits(8), rng.getrandbits(8) & rng.getrandbits(8)
            hold, present = rng.random() < 0.5, model.present()
            asks = present is not None and (
                (way := model.waits[present][1]) == Port.LOCAL or credits >> 2 * way + present & 1
            )
            free = bool(asks and rng.random() < 0.5)
            overflow = sync is not None and sync[0] in model.waits
            stimulus = {
                "valid": 0 if sync is None else 1 << sync[0],
                "message": 0 if sync is None else sync[1],
                "has_credit": credits,
                "coming": coming,
                "hold": hold,
                "free": free,
            }
            for name, value in stimulus.items():
                pin: Any = getattr(part, name)
                sim.set(pin.as_value() if name == "message" else pin, int(value))
            expected: dict[str, int] = {
                "credit": freed,
                "overflow": overflow,
                "store": sync is not None and not overflow,
                "presents": present is not None,
                "present": 0 if present is None else 1 << present,
                "route": 1 << model.waits[present][1] if present is not None and asks else 0,
            }
            seen = {name: sim.get(getattr(part, name)) for name in expected}
            if spec.sync_links == "own" and present is not None:
                expected["sync"] = model.waits[present][0]
                seen["sync"] = sim.get(part.sync.as_value())
            assert seen == expected, (cycle, stimulus)
            totals["overflow"] += overflow
            totals["both"] += len(model.waits) == 2
            totals["in vain"] += present is not None and not asks
            if present is not None and free:
                totals[f"class {present}"] += 1
            freed = 1 << present if present is not None and free else 0
            model.step(present if free else None, sync)
            model.known, model.held = credits | coming, hold
            await sim.tick()

    simulator = Simulator(part)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert min(totals.values()) > 30, totals


def test_ports() -> None:
    spec, port = CASES["north_own"]
    found = ports(SyncInput(spec, port))
    assert found["hold"] == ("in", 1)
    assert found["coming"] == ("in", 8)
    assert "show" not in found


@pytest.mark.parametrize("port", [-1, 4])
def test_slots_of_no_network_port_are_refused(port: int) -> None:
    with pytest.raises(ValueError, match=rf"^ReadySlots needs a network port 0\.\.3, not {port}$"):
        ReadySlots(port)

"""Barriers of all of 8x8 in nanoseconds: cycles measured, over the clock of the whole router."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.sim.figures.latency import everybody, measure
from syncfabric.sim.figures.row import Row
from syncfabric.sim.figures.synthesized import synthesized

__all__ = ["wire_ns"]

MOST = 0.6
"""What wires may take of the time that messages take."""
MESSAGES, WIRES = ("mesh-router", "shortest"), ("mesh-router-wires", "wires")
BARRIERS: dict[tuple[str, str], dict[str, object]] = {
    ("mesh-router", "btm"): {},
    MESSAGES: {},
    WIRES: {"sync": "wires"},
}
"""By block and planner: the keys of a mesh of such routers, beside those of ``ROUTER``."""
ROUTER: dict[str, object] = {"kind": "mesh", "width": 8, "height": 8, "data_bits": 0}
PLAIN = "mesh-router-plain"


def wire_ns() -> Iterator[Row]:
    """Barrier wires in ns: all of 8x8 on an ECP5, by the clock of the whole router."""
    area = {block: synthesized(block) for block in (PLAIN, *(block for block, _ in BARRIERS))}
    for block, found in area.items():
        clock = found["fmax_mhz"]
        yield Row(
            f"{block}: LUT4, FF, MHz of three seeds",
            f"{found['lut4']:,}, {found['ff']:,}, {clock['min']:g} / {clock['median']:g} / "
            f"{clock['max']:g}",
        )
    times: dict[tuple[str, str], float] = {}
    for (block, planner), keys in BARRIERS.items():
        network = MeshSpec.model_validate(ROUTER | keys)
        latency = measure(network, everybody(network, planner)).latency
        assert latency is not None
        clock = area[block]["fmax_mhz"]["median"]
        times[block, planner] = 1_000 * latency.max / clock
        yield Row(
            f"all of 8x8, {planner}, {latency.max} cycles at {clock:g} MHz",
            f"{times[block, planner]:.0f} ns",
        )
    share = times[WIRES] / times[MESSAGES]
    yield Row("wires over messages by shortest", f"{share:.0%}", f"<= {MOST:.0%}", share <= MOST)

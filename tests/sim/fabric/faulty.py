"""Hardware and model side by side under faults of links: what the probe writes, cycle by cycle."""

import random
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import Kind
from syncfabric.models.networks.spec import IrregularSpec, RegisterSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.rtl.guard.shape import guard_shape
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.assemble.network import link_wires
from syncfabric.sim.assemble.player import script_text
from syncfabric.sim.campaign.forged import forged
from syncfabric.sim.drive.lines import EMPTY, Line, explain, parse
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.session import Session
from syncfabric.sim.fabric import Fabric, build_fabric

__all__ = ["compare", "guarded_links", "random_faults"]

CHUNK = 100
"""Cycles between two looks."""


def guarded_links(spec: RegisterSpec) -> list[int]:
    """Return the numbers of the links that have guards."""
    links = links_of(spec)
    local = set() if isinstance(spec, IrregularSpec) else {*links.eject, *links.inject}
    return [n for n, name in enumerate(links.names) if name is not None and n not in local]


def random_faults(
    spec: RegisterSpec,
    rng: random.Random,
    cycles: Sequence[int],
    kinds: Sequence[FaultKind],
    gids: Sequence[int] = (0,),
) -> list[Fault]:
    """Return a fault for each of these cycles: 1 to 3 flips, a drop, lost credits or a message.

    Forged messages are of groups ``gids``, of their epoch 0 or another, for any destination.
    """
    shape = guard_shape(spec)
    assert shape
    wires, links = link_wires(spec), guarded_links(spec)
    forward = sum(width for wire, width in wires.items() if wire not in (*wires.back, "wires"))
    faults = []
    for cycle in cycles:
        kind = rng.choice(kinds)
        if kind is FaultKind.FORGED:
            message, epoch = rng.choice(list(Kind)), rng.randrange(2)
            mask = forged(spec, rng, kind=message, gid=rng.choice(gids), epoch=epoch)
            faults.append(Fault(cycle, rng.choice(links), kind, mask))
            continue
        bits = forward if kind is FaultKind.FLIP else shape.channels
        count = rng.randint(1, 3) if kind is FaultKind.FLIP else rng.randint(1, shape.channels)
        mask = sum(1 << bit for bit in rng.sample(range(bits), min(count, bits)))
        mask = mask if kind in (FaultKind.FLIP, FaultKind.CREDIT) else 0
        faults.append(Fault(cycle, rng.choice(links), kind, mask))
    return faults


def compare(
    plan: BarrierPlan,
    scenario: Scenario,
    faults: Iterable[Fault],
    cycles: int,
    folder: Path,
    asks: Sequence[tuple[int, ConfigRequest]] = (),
) -> Session:
    """Run both for some cycles; fail where they differ. Return the model's side, as it ends.

    ``asks`` are what is asked of the config port, and from which cycle on.
    """
    spec, faults = plan.spec.register_network, list(faults)
    session, left = Session(plan, scenario), list(asks)
    if faults:
        session.model.inject(faults)
    with Fabric(build_fabric(spec)) as fabric:
        fabric.faults(faults, folder)
        probe, script, seen = folder / "probe.txt", folder / "script.txt", 0
        fabric.probe(probe)
        begin = session.model.cycle
        fabric.run(begin)
        while session.model.cycle < cycles and not session.finished:
            while left and left[0][0] <= session.model.cycle:
                session.driver.port.ask(left.pop(0)[1])
            chunk = session.advance(CHUNK)
            script.write_text(script_text(chunk.stimuli))
            fabric.script(script)
            fabric.run(chunk.end - chunk.first)
            text = probe.read_text().splitlines()[seen:]
            for ours, wanted in zip_longest(text, chunk.text):
                assert ours == wanted, f"{_told(spec, ours, wanted)}; {spec}, {faults}"
            seen += len(text)
    return session


def _told(spec: RegisterSpec, ours: str | None, wanted: str | None) -> str:
    """Say in what two lines of the probe differ."""
    seen, right = (parse(text, 0) if text else Line(0, EMPTY) for text in (ours, wanted))
    told = "; ".join(f"{m.signal}: {m.hardware} {m.model}" for m in explain(spec, seen, right))
    told = told or f"{ours} / {wanted}"
    return f"cycle {seen.cycle:x} {right.cycle:x}: {told}"

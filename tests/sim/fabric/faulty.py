"""Hardware and model side by side under faults of links: what the probe writes, cycle by cycle."""

import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.assemble.network import link_wires
from syncfabric.sim.assemble.script import script_text
from syncfabric.sim.drive.checker import Checker
from syncfabric.sim.drive.runner import Session
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.stimulus import driver_of
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric

CHUNK = 100
"""Cycles between two looks."""


def guarded_links(spec: MessageSpec) -> list[int]:
    """Return the numbers of the links that have guards."""
    links = links_of(spec)
    local = {*links.eject, *links.inject} if spec.kind == "mesh" else set()
    return [n for n, name in enumerate(links.names) if name is not None and n not in local]


def random_faults(
    spec: MessageSpec,
    rng: random.Random,
    cycles: Sequence[int],
    kinds: Sequence[FaultKind],
    forge: Callable[[], int] = int,
) -> list[Fault]:
    """Return a fault for each of these cycles: 1 to 3 flips, a drop, lost credits or a message.

    ``forge`` injects what was not sent.
    """
    wires, links = link_wires(spec), guarded_links(spec)
    forward = sum(width for wire, width in wires.items() if wire not in (*wires.back, "wires"))
    lanes = links_of(spec).width
    faults = []
    for cycle in cycles:
        kind = rng.choice(kinds)
        if kind is FaultKind.INJECTED:
            faults.append(Fault(cycle, rng.choice(links), kind, forge()))
            continue
        bits = forward if kind is FaultKind.FLIP else lanes
        count = rng.randint(1, 3) if kind is FaultKind.FLIP else rng.randint(1, lanes)
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
    spec, faults = plan.spec.message_network, list(faults)
    session, left = Session(driver_of(plan, scenario), scenario.limit), list(asks)
    sides = Checker(spec)  # without rules: under faults few hold
    if faults:
        session.driver.model.inject(faults)
    with Fabric(build_fabric(spec)) as fabric:
        fabric.faults(faults, folder)
        probe, script, seen = folder / "probe.txt", folder / "script.txt", 0
        fabric.probe(probe)
        begin = session.cycle
        fabric.run(begin)
        while session.cycle < cycles and not session.finished:
            while left and left[0][0] <= session.cycle:
                session.driver.port.ask(left.pop(0)[1])
            chunk = session.advance(CHUNK)
            script.write_text(script_text(chunk.stimuli))
            fabric.script(script)
            fabric.run(chunk.end - chunk.first)
            text = probe.read_text().splitlines()[seen:]
            sides.compare(chunk, text)
            assert not sides.mismatches, f"{sides.mismatches[:5]}; {spec}, {faults}"
            seen += len(text)
    return session

"""Routers, nodes and their parts against golden models: every output in every cycle."""

import json
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cocotb
from amaranth.lib import wiring

from syncfabric.models.layout.engine import EngineLayout
from syncfabric.rtl.engine.node_port import NodePort
from syncfabric.rtl.engine.ports import MessageSignature
from syncfabric.rtl.router.link import FlitSignature
from syncfabric.rtl.transport.config_chain import ConfigNode
from syncfabric.rtl.transport.registers import LinkRegisters
from tests.rtl.engine.lockstep import differences
from tests.rtl.planes.lockstep import ChainLockstep, Lockstep, PortLockstep, RegistersLockstep
from tests.rtl.support import Bench, Scoreboard

CYCLES, RESETS = 3000, (500, 501, 1400)


@dataclass(frozen=True)
class Case:
    """A part, and what it is compared with; ``wanted`` is what must happen."""

    part: Callable[[], wiring.Component]
    lockstep: Callable[[random.Random], Lockstep]
    wanted: frozenset[str]


def _port(registers: int, groups: int, bits: int = 0) -> Case:
    layout = EngineLayout(4, True, groups, bits, "bitwise" if bits else "none")
    return Case(
        lambda: NodePort(layout, registers),
        lambda rng: PortLockstep(layout, registers, rng),
        frozenset({"taken", "GO", "PLAIN", "LAST", "BROKEN", "offered"}),
    )


def _chain(number: int, targets: tuple[int, ...]) -> Case:
    return Case(
        lambda: ConfigNode(targets),
        lambda rng: ChainLockstep(number, targets, rng),
        frozenset({"passed", "error", "asked"}),
    )


def _registers(signature: wiring.Signature, registers: int) -> Case:
    return Case(
        lambda: LinkRegisters(signature, registers),
        lambda rng: RegistersLockstep(signature, registers, rng),
        frozenset({"delayed"}),
    )


CASES = {
    "port_1": _port(1, 1),
    "port_4": _port(4, 16, 3),
    "port_16": _port(16, 256, 32),
    "chain_1": _chain(0, (0,)),
    "chain_2": _chain(700, (0, 2)),
    "chain_3": _chain(3, (0, 1, 2)),
    "registers_1": _registers(FlitSignature(4, 16, message_bits=40, cut=True), 1),
    "registers_3": _registers(MessageSignature(EngineLayout(4, True, 16, 4, "all")), 3),
}


@cocotb.test()
async def all_parts_agree_with_golden_models(dut: Any) -> None:
    """All at once, with resets amid whatever is under way."""
    bench, there = Bench(dut), json.loads(os.environ["RACK_PORTS"])
    cases = {name: case for name, case in CASES.items() if name in there}
    rng = Scoreboard("resets").rng
    locksteps = {name: case.lockstep(Scoreboard(name).rng) for name, case in cases.items()}
    await bench.reset(shaken=20)
    for cycle in range(CYCLES):
        if cycle in RESETS:
            await bench.reset_amid(rng)
            for lockstep in locksteps.values():
                lockstep.reset()
        stimuli = {}
        for name, lockstep in locksteps.items():
            stimuli[name] = lockstep.step()
            bench.pins[name].drive(stimuli[name][0])
        await bench.settle()
        for name, (driven, expected) in stimuli.items():
            wrong = differences(expected, bench.pins[name].read(expected))
            assert not wrong, f"{name}: cycle {cycle}: {wrong}; stimulus {driven}"
        await bench.edge()
    for name, lockstep in locksteps.items():
        seen = +lockstep.seen
        dut._log.info("%s: %s", name, dict(seen))
        assert seen.keys() >= cases[name].wanted, (name, cases[name].wanted - seen.keys())

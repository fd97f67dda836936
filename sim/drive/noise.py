"""What a well-behaved user never does, and the hardware must refuse, count, and survive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import (
    CONTROL,
    COUNTER_BASE,
    Command,
    WireWord,
    register_address,
)
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.plan import GroupPlan, IrregularGroupPlan, WireGroupPlan
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.arrivals import GroupArrivals
from syncfabric.sim.drive.strays import mesh_stray, switch_stray, wire_stray
from syncfabric.sim.drive.targets import targets_of
from syncfabric.sim.drive.wires.trees import units_of

if TYPE_CHECKING:
    from syncfabric.sim.drive.driver import Driver, Inputs

__all__ = ["Noise"]

CHANCE = 0.05
"""Of each kind of disturbance, a cycle."""


class Noise:
    """Disturbs a run without changing the outcome of any barrier.

    It arrives where nobody is expected: a second time, at registers that are not set up; it
    writes what is busy or read-only; it reads everything; and
    it sets up leaves of a group whose parent knows nothing of it, which sends strays; and slots of
    barrier wires to which another group's pulses come.

    Parameters
    ----------
    driver : Driver
        Whose plan and inputs are disturbed.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._network = driver.plan.spec.register_network
        self._nodes = len(self._network.topology.nodes)
        self._targets = targets_of(self._network)
        used = {place for group in driver.groups for place in group.places}
        everywhere = [
            (node, register)
            for node in range(self._nodes)
            for register in range(self._network.port_registers)
        ]
        self._free = [place for place in everywhere if place not in used]
        self._used = [
            (number, member)
            for number, group in enumerate(driver.groups)
            for member, (_, register) in enumerate(group.places)
            if register is not None
        ]
        self._switches = _switch_registers(driver)
        self._strays: list[tuple[int, int]] = []
        if driver.groups and driver.groups[0].places:
            self._early_arrival()
        first = self._targets.first_slot
        passed = {(unit.target, first + unit.slot) for unit in units_of(driver.plan)}
        passed |= _relay_registers(driver)
        for slots in (False, True):
            free = [place for place in self._free if (place[1] >= first) == slots]
            free = [place for place in free if place not in passed]
            for node, register in driver.rng.sample(free, min(2, len(free))):
                (self._make_wire_stray if slots else self._make_stray)(node, register)

    def _early_arrival(self) -> None:
        """Have the first cycles' inputs begin with reads, before anything is set up."""
        self._driver.port.requests.extendleft(
            ConfigRequest(node, register_address(0, self._targets.register_words(0)[0]), False)
            for node in range(min(4, self._nodes))
        )

    def _make_stray(self, node: int, register: int) -> None:
        """Set up a leaf whose parent does not know it."""
        network, rng = self._network, self._driver.rng
        if isinstance(network, IrregularSpec):
            writes = switch_stray(self._driver.plan, rng, node, register, first=not self._strays)
        elif self._nodes > 1:
            writes = mesh_stray(network, rng, node, register)
        else:
            return
        self._driver.port.requests.extend(
            ConfigRequest(target, register_address(place, word), True, value)
            for target, place, word, value in writes
        )
        self._free.remove((node, register))
        self._strays.append((node, register))

    def _make_wire_stray(self, node: int, register: int) -> None:
        """Set up a slot that no parent knows; nobody ever arrives there."""
        writes = wire_stray(self._driver.plan, self._driver.rng, node, register)
        if writes is not None:
            self._driver.port.requests.extend(
                ConfigRequest(target, register_address(place, word), True, value)
                for target, place, word, value in writes
            )
            self._free.remove((node, register))

    def disturb(self, now: int, inputs: Inputs) -> None:
        """Add disturbances to a cycle's inputs, here and there."""
        rng = self._driver.rng
        if rng.random() < CHANCE:
            self._arrive_again(now, inputs)
        if self._free and rng.random() < CHANCE:
            self._arrive(now, inputs, *rng.choice(self._free))
        if self._strays and rng.random() < CHANCE / 4:
            self._arrive(now, inputs, *self._strays.pop())
        idle = self._driver.port.all_given
        if idle and rng.random() < CHANCE:  # asked at once, while what it was drawn for holds
            place = self._busy(inputs)
            if place is not None and rng.random() < 0.3:
                control = register_address(place[1], self._targets.register_words(place[1])[0])
                # A slot obeys at any time if it is not to be valid any more.
                valid = place[1] >= self._targets.first_slot
                word = rng.getrandbits(32) | valid << CONTROL.offsets["valid"]
                request = ConfigRequest(place[0], control, True, word)
            else:
                request = self._request()
            self._driver.port.ask(request)

    def _arrive(self, now: int, inputs: Inputs, node: int, register: int) -> None:
        data = self._driver.rng.getrandbits(self._network.data_bits or 1)
        data &= (1 << self._network.data_bits) - 1
        if (node, register) not in inputs.arrive:
            inputs.arrive[node, register] = data
            index = node * self._network.port_registers + register
            self._driver.stimuli.append(Stimulus(now, StimulusKind.ARRIVE, index, data))

    def _arrive_again(self, now: int, inputs: Inputs) -> None:
        """Arrive for a member that is inside since an earlier cycle: refused."""
        inside = self._inside(inputs)
        if inside is not None:
            group, member = inside
            node, register = group.places[member]
            assert register is not None
            self._arrive(now, inputs, node, register)

    def _inside(self, inputs: Inputs) -> tuple[GroupArrivals, int] | None:
        """Draw a member; return its group and number if it is inside since an earlier cycle."""
        if not self._used:
            return None
        number, member = self._driver.rng.choice(self._used)
        group = self._driver.groups[number]
        inside = group.inside(member) and group.places[member] not in inputs.arrive
        return (group, member) if inside else None

    def _busy(self, inputs: Inputs) -> tuple[int, int] | None:
        """Return target and number of a register that will be busy when a request is looked at."""
        if self._switches and self._driver.rng.random() < 0.5:
            return self._busy_switch()
        inside = self._inside(inputs)
        if inside is None:
            return None
        group, member = inside
        if self._looks_late and not group.awaits(member):
            return None
        node, register = group.places[member]
        assert register is not None
        return node, register

    @property
    def _looks_late(self) -> bool:
        """Whether the network looks at a request a cycle later."""
        return isinstance(self._network, IrregularSpec)

    def _busy_switch(self) -> tuple[int, int] | None:
        """Do so for a switch's register in the middle of a barrier."""
        target, register = self._driver.rng.choice(self._switches)
        registers, _ = self._targets.split(target, self._driver.model.observe(target))
        state = registers[register]
        if register >= self._targets.first_slot:
            return target, register
        return (target, register) if state["arrived"] or state["fired"] else None

    def _request(self) -> ConfigRequest:
        """Return a request that changes nothing."""
        rng, registers = self._driver.rng, self._network.port_registers
        target = rng.randrange(len(self._targets))
        kind = rng.randrange(5)
        if kind == 0 and self._used:
            number, member = rng.choice(self._used)
            group = self._driver.groups[number]
            target, register = group.places[member]
            if self._switches and rng.random() < 0.5:
                target, register = rng.choice(self._switches)
            # Refused while the register is valid.
            word = rng.choice(self._targets.register_words(register or 0)[1:])
            value = rng.getrandbits(32)
            if (
                word is WireWord.COMMAND
            ):  # so is every command but these two, and GO changes nothing
                value = rng.choice((Command.GO, Command.KILL + 1, value & ~0xFF))
            return ConfigRequest(target, register_address(register or 0, word), True, value)
        if kind == 1:
            return ConfigRequest(target, COUNTER_BASE + rng.randrange(5), rng.random() < 0.3, 1)
        if kind == 3:  # no such register, or nothing at that address
            nowhere = rng.choice((registers * 8, COUNTER_BASE + 64))
            return ConfigRequest(target, nowhere, rng.random() < 0.5, 1)
        register = rng.randrange(registers)
        word = rng.choice(self._targets.register_words(register))
        return ConfigRequest(target, register_address(register, word), False)


def _relay_registers(driver: Driver) -> set[tuple[int, int]]:
    """Return index and number of every register of a node on the way that is no member."""
    index = driver.plan.spec.register_network.topology.index
    return {
        (index(node), register)
        for group in driver.plan.groups
        if isinstance(group, GroupPlan)
        for node, register in group.node_places.items()
        if node not in group.places and register is not None
    }


def _switch_registers(driver: Driver) -> list[tuple[int, int]]:
    """Return target and number of every switch's register that a group has."""
    nodes = len(driver.plan.spec.network.topology.nodes)
    return [
        (nodes + switch, register)
        for group in driver.plan.groups
        if isinstance(group, IrregularGroupPlan | WireGroupPlan)
        for switch, register in group.switch_places.items()
        if register is not None
    ]

"""What a well-behaved user of a network of engines never does: refused, counted, or dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, Code
from syncfabric.models.layout.setup import COMMAND, MOST_REQUESTS, ManagerState, Operation, share_of
from syncfabric.models.layout.words import (
    ADDRESS_BITS,
    COUNTER_ADDRESS,
    TABLES,
    EngineWord,
    ManagerWord,
    RouterWord,
    config_address,
)
from syncfabric.models.planning.set_up import Epochs, kill_command
from syncfabric.sim.drive.driver import Inputs, Program
from syncfabric.sim.drive.engine_driver import EngineDriver

CHANCE = 0.05
"""Of each kind of disturbance, a cycle."""
EPOCHS = 1 << EPOCH_BITS
BEYOND = 2
"""Targets behind the last that are named, too, as far as the config port's bits can."""


class Illegal(Program):
    """Disturbs a run without changing the outcome of any barrier.

    Processes arrive a second time, and for groups of which they are no members; words are read and
    written that are not there, or only for the other; entries get COMMITs of a wrong epoch or at a
    wrong time; managers are given commands that they refuse, and such as all routers refuse; and
    processes send packets to set-up sinks.

    Parameters
    ----------
    driver : EngineDriver
        Whose plan and inputs are disturbed; its model tells what holds of entries and managers.
    """

    def __init__(self, driver: EngineDriver) -> None:
        self._driver, self._model, self._shape = driver, driver.model, driver.model.shape
        shape, rng = self._shape, driver.rng
        bits = driver.plan.spec.message_network.layout.target_bits
        self._targets = min(shape.targets + BEYOND, 1 << bits)
        members = {place for group in driver.groups for place in group.places}
        seats = [(i, r) for i in range(len(shape.nodes)) for r in range(shape.registers)]
        self._free = [seat for seat in seats if seat not in members]
        self._members = [
            (number, member)
            for number, group in enumerate(driver.groups)
            for member in range(len(group.places))
        ]
        self._kinds: list[Callable[[], Iterator[ConfigRequest]]] = [
            *(self._commit, self._anywhere, self._stage, self._open)
        ]
        self._kinds += [self._command, self._kill] if shape.managers else []
        sinks = range(shape.routers if shape.managers and shape.interfaces else 0)
        self._sinks = [shape.sink_header(router) for router in sinks]
        # The first requests come before anything is set up.
        driver.port.requests.extendleft(
            ConfigRequest(rng.randrange(shape.targets), rng.randrange(256), False) for _ in range(4)
        )

    def next_cycle(self, now: int) -> int | None:
        """Return this cycle, while members arrive."""
        return now if self._driver.active else None

    def act(self, now: int, inputs: Inputs) -> None:
        """Add illegal stimuli to a cycle's inputs, here and there."""
        driver, rng = self._driver, self._driver.rng
        if not driver.active:
            return
        if self._members and rng.random() < CHANCE:
            number, member = rng.choice(self._members)
            group = driver.groups[number]
            if group.inside(member):
                node, register = group.places[member]
                assert register is not None
                self._arrive(now, inputs, (node, register))
        if self._free and rng.random() < CHANCE:
            self._arrive(now, inputs, rng.choice(self._free))
        if self._sinks and rng.random() < CHANCE / 4 and not driver.sender.waits:
            node, channel = rng.randrange(len(self._shape.nodes)), self._shape.router.channels
            words = [rng.choice(self._sinks), *(rng.getrandbits(32) for _ in range(3))]
            driver.sender.send(node, words[: rng.randint(1, 4)], rng.randrange(channel))
        if driver.port.is_idle and rng.random() < CHANCE:
            for request in rng.choice(self._kinds)():
                driver.port.ask(request)

    def _arrive(self, now: int, inputs: Inputs, seat: tuple[int, int]) -> None:
        """Arrive where that is refused, unless somebody does who may."""
        rng, bits = self._driver.rng, self._shape.router.data_bits
        data, last = rng.getrandbits(bits) if bits else 0, rng.random() < 0.5
        if seat not in inputs.arrive:
            self._driver.arrive(now, inputs, seat, data, last=last)

    def _commit(self) -> Iterator[ConfigRequest]:
        """Yield a COMMIT that is refused, or a READ of any word."""
        rng, shape = self._driver.rng, self._shape
        router, entry = rng.randrange(shape.routers), rng.randrange(shape.router.layout.entries)
        state = self._model.nodes[router].engine.entry(entry)
        epoch = (state.epoch + rng.randrange(1, EPOCHS)) % EPOCHS
        code = rng.choice((Code.READ, Code.SETUP, Code.GO, *([Code.KILL] * state.alive)))
        fields = {"code": code, "entry": entry, "epoch": epoch}
        if code is Code.READ:
            fields["word"] = rng.randrange(16)
        yield ConfigRequest(shape.target_of(router), EngineWord.COMMIT, True, COMMIT.pack(fields))

    def _anywhere(self) -> Iterator[ConfigRequest]:
        """Yield a read of any word, or a write of one that is not there or is to be read."""
        rng, address = self._driver.rng, self._driver.rng.randrange(256)
        write = rng.random() < 0.5 and address not in self._writable
        target = rng.randrange(self._targets)
        yield ConfigRequest(target, address, write, rng.getrandbits(32) * write)

    @property
    def _writable(self) -> set[int]:
        """Addresses that are written at some target."""
        tables = ((part << ADDRESS_BITS, words.widths("w")) for part, words in enumerate(TABLES))
        return {*range(COUNTER_ADDRESS), *(part | word for part, words in tables for word in words)}

    def _stage(self) -> Iterator[ConfigRequest]:
        """Yield a write of a word of an image that is not committed, and may not be there."""
        rng, shape = self._driver.rng, self._shape
        target = shape.target_of(rng.randrange(shape.routers))
        address = rng.randrange(EngineWord.IMAGE, 1 << ADDRESS_BITS)
        yield ConfigRequest(target, address, True, rng.getrandbits(32))

    def _open(self) -> Iterator[ConfigRequest]:
        """Yield a write that opens all links of a router; without check bits it is refused."""
        target = self._driver.rng.randrange(self._shape.targets)
        fence = config_address(RouterWord.FENCE)
        yield ConfigRequest(target, fence, True, 0)

    def _command(self) -> Iterator[ConfigRequest]:
        """Yield a command that a manager refuses, or an ABORT."""
        rng, most = self._driver.rng, MOST_REQUESTS + 1
        fields = rng.choice(
            (
                {"operation": Operation.START, "count": rng.randint(0, most)},
                {"operation": Operation.SETUP, "count": 0},
                {"operation": Operation.KILL, "count": most},
                {"operation": Operation.ABORT, "count": rng.randint(0, most)},
            )
        )
        address = config_address(ManagerWord.COMMAND)
        yield ConfigRequest(rng.choice(self._shape.managers), address, True, COMMAND.pack(fields))

    def _kill(self) -> Iterator[ConfigRequest]:
        """Yield the writes of a KILL that routers deny: of a wrong epoch, or of another's share."""
        rng, shape = self._driver.rng, self._shape
        number = rng.randrange(len(shape.managers))
        entries = range(shape.router.layout.entries)
        own, epochs = share_of(number, len(shape.managers), len(entries)), Epochs()
        places = []
        for router in rng.sample(range(shape.routers), min(2, shape.routers)):
            entry = rng.choice(entries)
            state = self._model.nodes[router].engine.entry(entry)
            if state.alive or entry not in own:
                epochs[router, entry] = state.epoch + rng.randrange(1, EPOCHS)
                places.append((router, entry))
        node = shape.managers[number]
        if places and self._model.manager_state(node) is not ManagerState.RUNNING:
            for address, word in kill_command(places, shape, epochs):
                yield ConfigRequest(node, address, True, word)

"""Images: any that the contract defines, written into the engines of a network by any commands.

Hardware and golden model agree in every cycle and in memory, however senseless the trees are; after
the escape from any state (E7.8) the network's own groups are set up and have their barriers.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.words import EngineWord
from syncfabric.sim.drive.backends import play
from syncfabric.sim.drive.driver import Inputs, Program
from syncfabric.sim.drive.engine_driver import EngineDriver
from syncfabric.sim.drive.packets import Packet
from syncfabric.sim.drive.runner import Runner
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.trace import Report
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric
from syncfabric.sim.results import Mismatch
from tests.fuzz.campaign import fuzzed
from tests.sim.drive.networks import members, mesh, plan_of

NETWORK = mesh(2, 2, groups=2, watchdog=64, key_bits=2)
NODES = NETWORK.topology.nodes
PLAN = plan_of(NETWORK, members(1, *NODES), members(2, *NODES[1:3], op="xor"))
LAYOUT = NETWORK.shape.router.layout
EPISODES, LIMIT = 3, 20_000


class Deed(NamedTuple):
    """A request, after some cycles; or an arrival at a register."""

    wait: int
    request: ConfigRequest | None
    place: tuple[int, int] = (0, 0)
    data: int = 0
    last: bool = False


def _commit(target: int, code: int, epoch: int, entry: int) -> ConfigRequest:
    word = COMMIT.pack({"code": code, "epoch": epoch, "entry": entry})
    return ConfigRequest(target, EngineWord.COMMIT, True, word)


def _staged(target: int, image: int) -> list[ConfigRequest]:
    words = (image >> 32 * k & 0xFFFFFFFF for k in range(LAYOUT.image_words))
    return [ConfigRequest(target, EngineWord.IMAGE + k, True, word) for k, word in enumerate(words)]


def _escape() -> Iterable[ConfigRequest]:
    """Yield what frees all entries, whatever their state is."""
    process = LAYOUT.image.pack({"children": 1 << LAYOUT.links})
    for target in range(NETWORK.shape.targets):
        yield from _staged(target, process)
        for entry in range(LAYOUT.entries):
            for epoch in range(4):
                yield _commit(target, Code.KILL, epoch, entry)
            yield _commit(target, Code.SETUP, 3, entry)
            yield _commit(target, Code.KILL, 0, entry)


_targets = st.integers(0, NETWORK.shape.targets - 1)
_entries = st.integers(0, LAYOUT.entries - 1)
_parents = st.sampled_from([0, *(1 << p for p in range(LAYOUT.links))])
_operations = st.integers(0, 2)


@st.composite
def _images(draw: st.DrawFn) -> list[ConfigRequest]:
    """Draw an image of an entry that is set up, and perhaps begun."""
    target, entry, epoch = draw(_targets), draw(_entries), draw(st.integers(0, 1))
    fields = {
        field.name: draw(st.integers(0, (1 << field.width) - 1)) for field in LAYOUT.image.fields
    }
    fields |= {"parent": draw(_parents), "op": draw(_operations)}
    requests = _staged(target, LAYOUT.image.pack(fields))
    requests.append(_commit(target, Code.SETUP, epoch, entry))
    return requests + [_commit(target, Code.GO, epoch + 1, entry)] * draw(st.integers(0, 1))


_requests = st.one_of(
    _images(),
    _images(),
    st.builds(_commit, _targets, st.integers(0, 3), st.integers(0, 3), _entries).map(lambda r: [r]),
    st.builds(
        ConfigRequest,
        st.integers(0, NETWORK.shape.targets + 1),
        st.sampled_from([*range(64), 255]),
        st.booleans(),
        st.integers(0, 0xFFFFFFFF),
    ).map(lambda r: [r]),
)
_arrivals = st.builds(
    Deed,
    st.integers(0, 40),
    st.none(),
    st.tuples(st.integers(0, len(NODES) - 1), st.integers(0, NETWORK.port_registers - 1)),
    st.integers(0, (1 << NETWORK.data_bits) - 1),
    st.booleans(),
)
_deeds = st.lists(
    st.one_of(
        st.builds(
            lambda wait, some: [Deed(wait * (k == 0), each) for k, each in enumerate(some)],
            st.integers(0, 40),
            _requests,
        ),
        _arrivals.map(lambda deed: [deed]),
    ),
    max_size=30,
).map(lambda several: [deed for deeds in several for deed in deeds])


class Forger(Program):
    """Does what was drawn, then frees all entries; when all is quiet, the set-up begins."""

    def __init__(self, driver: EngineDriver, deeds: Sequence[Deed]) -> None:
        self._driver, self._deeds, self._due = driver, [*deeds], 1
        self._set_up, self._closed = [*driver.port.requests], set(driver._closed)
        driver.port.requests.clear()
        self._asked = self._freed = self._over = False

    @property
    def finished(self) -> bool:
        """Whether all is free and quiet."""
        return self._over

    @property
    def prepares(self) -> bool:
        """Whether groups must not begin yet."""
        return not self._over

    @property
    def _quiet(self) -> bool:
        return self._freed and self._driver.idle_until() is None

    def next_cycle(self, now: int) -> int | None:
        """Return the cycle of the next deed."""
        if self._deeds:
            return max(now, self._due)
        return now if not self._over and (self._quiet or not self._asked) else None

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Free all entries when everything is done, and leave the rest to the driver."""
        if not self._deeds and not self._asked and self._driver.port.is_idle:
            self._asked = True

            def done(_: int) -> None:
                self._freed = True

            self._driver.port.ask_all([*_escape()], done)
        if self._quiet and not self._over:
            self._over = True
            self._driver.port.requests.extend(self._set_up)
            self._driver._closed = self._closed

    def act(self, now: int, inputs: Inputs) -> None:
        """Do the next deed."""
        while self._deeds and now >= self._due:
            deed = self._deeds.pop(0)
            if deed.request:
                self._driver.port.ask(deed.request)
            elif deed.place not in inputs.arrive:
                self._driver.arrive(now, inputs, deed.place, deed.data, last=deed.last)
            self._due = now + (self._deeds[0].wait if self._deeds else 0)


class Compared(Runner[list[Mismatch]]):
    """Compares alone: no rule holds while senseless groups run."""

    def outcome(self, report: Report = None) -> list[Mismatch]:
        """Return what differs."""
        return self.checker.mismatches


@pytest.mark.nightly
@fuzzed(0.5)
@given(_deeds)
def test_any_images_and_commands(deeds: list[Deed]) -> None:
    driver = EngineDriver(PLAN, Scenario(episodes=EPISODES))
    driver.programs.insert(0, Forger(driver, deeds))
    runner = Compared(NETWORK, driver, [], LIMIT)
    with Fabric(build_fabric(NETWORK)) as fabric:
        assert play(fabric, runner) == []
    assert runner.session.hang is None
    assert [len(group.latency) for group in driver.groups] == [EPISODES] * 2

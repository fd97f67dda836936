"""Set-up as paper BTIN has it, on hardware: what works, and what happens if nobody waits."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import CONTROL, COUNTER_BASE, Counter, SwitchWord, register_address
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive import driver as driver_module
from syncfabric.sim.drive.driver import Driver
from syncfabric.sim.drive.inbox import Packet
from syncfabric.sim.drive.paper_set_up import PaperSetUp
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from syncfabric.sim.drive.simulate import run_model
from syncfabric.sim.drive.software import Program
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from tests.sim.drive.clusters import drawn
from tests.sim.drive.networks import check, irregular, members, plan_of

GROUPS = 4


def drawn_plan(seed: int, **keys: Any) -> BarrierPlan:
    """Return random groups; of this network every switch has a node."""
    network, rng = drawn(1, 8, 4, 24, 6, setup="paper", **keys), random.Random(seed)
    sizes = [rng.randint(2, 8) for _ in range(GROUPS - 1)]
    groups = [rng.sample(network.nodes, size) for size in (*sizes, 1)]
    return plan_of(network, *(members(gid, *nodes) for gid, nodes in enumerate(groups)))


def play(job: Job, *, hardware: bool = True) -> list[Outcome]:
    """Return what came of a job, on hardware beside the model or with the model alone."""
    if not hardware:
        return run_model(job).outcomes
    return simulate_tiles(job, build_fabric(job.runs[0][0].spec.register_network)).outcomes


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"turnaround": "node", "cycles_per_hop": 1},
    ],
)
@pytest.mark.long
def test_groups_meet_when_all_is_written(keys: dict[str, Any]) -> None:
    """At any pace of the software; then they live through barriers of every kind, and traffic."""
    runs = [
        (
            drawn_plan(seed, **keys),
            Scenario(episodes=6, seed=seed, policy="mixed", background=rate, lead_in=50),
        )
        for seed, rate in enumerate((0.0, 0.1))
    ]
    job = Job(tuple(runs))
    check(job, simulate_tiles(job, build_fabric(runs[0][0].spec.register_network)))


def test_groups_that_give_up_leave_nothing_in_a_quiet_network() -> None:
    """What is refused while a last release is under way is asked for again."""
    plan = drawn_plan(3)
    (outcome,) = play(Job(((plan, Scenario(episodes=3, tidy=True)),)), hardware=False)
    assert outcome.mismatches == []
    assert outcome.hang is None
    assert outcome.counters is not None
    assert outcome.counters[:3] == (0, 0, 0)


class Reader(Program):
    """Reads and writes what it is told to in a cycle when all is over, and keeps the answers."""

    def __init__(self, driver: Driver, cycle: int, requests: Sequence[ConfigRequest]) -> None:
        self._driver, self._cycle, self._requests = driver, cycle, list(requests)
        self.answers: list[tuple[bool, int]] = []

    @property
    def finished(self) -> bool:
        """Whether all has been asked."""
        return not self._requests

    def next_cycle(self, now: int) -> int | None:
        """Return when it asks."""
        return max(now, self._cycle) if self._requests else None

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Ask, if it is time."""
        if now >= self._cycle:
            for request in self._requests:
                self._driver.port.ask(
                    request, lambda _, refused, data: self.answers.append((refused, data))
                )
            self._requests = []


@pytest.mark.long
def test_a_message_that_comes_before_the_packet_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Members arrive as soon as their own register is written: STRAY counts, and nobody goes on."""
    plan = drawn_plan(1)
    network = plan.spec.network
    assert isinstance(network, IrregularSpec)
    switches = range(len(network.nodes), len(network.nodes) + network.switches)
    reads = [ConfigRequest(target, COUNTER_BASE + Counter.STRAY, False) for target in switches]
    readers: list[Reader] = []

    def programs(driver: Driver) -> list[Program]:
        readers.append(Reader(driver, 800, reads))
        return [PaperSetUp(driver), readers[-1]]

    monkeypatch.setattr(driver_module, "programs_of", programs)
    job = Job(((plan, Scenario(episodes=3, hasty=True, policy="together")),))
    (outcome,) = play(job)
    assert outcome.mismatches == []
    assert outcome.hang == "nothing moves any more; unfinished groups: 0, 1, 2"
    assert [len(group.latency) for group in outcome.groups] == [0, 0, 0, 3]
    answers = readers[0].answers
    assert len(answers) == network.switches
    assert sum(count for _, count in answers) > 0


ARMS = 14
CHAIN = Irregular(
    16,
    3,
    (((0, 0), (1, 0)), ((1, 1), (2, 0))),
    (*((0, 1 + arm) for arm in range(ARMS)), (1, 2), (2, 1)),
)
"""A node for each group at switch 0, one that is asked at switch 1, one for all at switch 2."""


class Gate(Program):
    """Lets the members at switch 0 arrive in one cycle, when the others have long arrived."""

    def __init__(self, driver: Driver, cycle: int) -> None:
        self._driver, self._cycle, self._through = driver, cycle, set[int]()

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        return True

    def arrive(self, now: int, number: int, member: int) -> bool:
        """Put the first member of each group off."""
        if member or number in self._through:
            return False
        self._through.add(number)
        self._driver.schedule(self._cycle, number, member)
        return True

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Do nothing of its own accord."""


@pytest.mark.parametrize("hardware", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_packet_that_asks_too_early_leaves_an_orphan(
    hardware: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fourteen groups are released at once, and their releases queue for the link to switch 1.

    Packets that ask for registers to be given up overtake some of them. Those registers stay, and
    no later group can have them.
    """
    network = irregular(
        CHAIN, setup="paper", barrier_registers=ARMS, cycles_per_hop=1, buffer_flits=8
    )
    far = network.nodes[-1]
    groups = [members(gid, network.nodes[gid], far) for gid in range(ARMS)]
    plan = plan_of(network, *groups)
    middle = len(network.nodes) + 1
    controls = [register_address(place, SwitchWord.CONTROL) for place in range(ARMS)]
    reads = [ConfigRequest(middle, address, False) for address in controls]
    tree = [address + SwitchWord.TREE - SwitchWord.CONTROL for address in controls]
    later = [ConfigRequest(middle, address, True, 3) for address in tree]
    readers: list[Reader] = []

    def programs(driver: Driver) -> list[Program]:
        readers.append(Reader(driver, 2000, [*reads, *later]))
        return [Gate(driver, 1000), PaperSetUp(driver), readers[-1]]

    monkeypatch.setattr(driver_module, "programs_of", programs)
    job = Job(((plan, Scenario(episodes=1, policy="together", tidy=True)),))
    (outcome,) = play(job, hardware=hardware)
    assert outcome.mismatches == []
    assert outcome.hang is None
    assert [len(group.latency) for group in outcome.groups] == [1] * ARMS
    answers = readers[0].answers
    orphans = [CONTROL.unpack(word)["valid"] for _, word in answers[:ARMS]]
    assert 0 < sum(orphans) < ARMS
    assert [refused for refused, _ in answers[ARMS:]] == [bool(left) for left in orphans]
    assert outcome.counters is not None
    *counted, refused_writes = outcome.counters
    assert counted == [0, 0, 0]
    assert refused_writes >= 2 * sum(orphans)

"""Who is missing is read from registers, down to the node; and where a message was lost."""

import random
import re
from collections.abc import Iterable
from typing import Any

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.faults.missing import Missing, missing
from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest, Observer
from syncfabric.models.messages import CONTROL, RegisterWord
from syncfabric.models.networks import reader
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, NetworkSpec
from syncfabric.models.planning.images import config_writes
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan, make_plan
from tests.models.golden import irregular_bench

H = 200
Member = tuple[int, int]


class Sent(Observer):
    """The messages of a barrier: when each was on its first link."""

    def __init__(self) -> None:
        self.messages: list[tuple[int, int, int]] = []

    def sync(
        self, kind: int, gid: int, source: int, destination: int, sent: int, taken: int
    ) -> None:
        self.messages.append((sent, source, destination))


class Bench:
    """A plan, and a model that is set up by it."""

    def __init__(self, plan: BarrierPlan, observer: Observer | None = None) -> None:
        network = plan.spec.register_network
        self.plan = plan
        self.group: Any = plan.group(7)
        self.model: GoldenModel = model_of(network, observer=observer)
        self.model.step(start=True)
        for target, address, word in config_writes(plan):
            assert self.ask(target, address, word) == 0
        self.run_to(20 * H)

    def ask(self, target: int, address: int, data: int | None = None) -> int | None:
        self.model.step(config=ConfigRequest(target, address, data is not None, data or 0))
        while not self.model.config_answer[0]:
            self.model.step()
        _, error, answer = self.model.config_answer
        return None if error else answer

    def read(self, target: int, address: int) -> int | None:
        return self.ask(target, address)

    def run_to(self, cycle: int) -> None:
        while self.model.cycle < cycle:
            self.model.step()

    def arrive(self, members: Iterable[Member]) -> None:
        index = self.plan.spec.network.topology.index
        self.model.step(arrive={(index(m), self.group.places[m]): 1 for m in members})

    def missing(self) -> Missing:
        return missing(self.plan, 7, self.read)


def mesh_plan(rng: random.Random, **options: Any) -> BarrierPlan:
    keys = {"kind": "mesh", "width": 4, "height": 4, "watchdog": H, "check_bits": 8, **options}
    spec = NetworkSpec.model_validate({"name": "m", "network": keys})
    nodes = spec.network.topology.nodes
    planner = rng.choice(["btm", "shortest"] if options else ["btm", "cs"])
    return plan_of(spec, rng.sample(nodes, rng.randint(2, 9)), planner)


def irregular_plan(rng: random.Random, **options: Any) -> BarrierPlan:
    network = irregular_bench.line(4, watchdog=H, check_bits=8, **options)
    spec = NetworkSpec(name="i", network=network, groups=())
    nodes = network.topology.nodes
    return plan_of(spec, rng.sample(nodes, rng.randint(2, len(nodes))), "updown")


def plan_of(spec: NetworkSpec, members: list[Member], planner: str) -> BarrierPlan:
    groups = (
        GroupSpec(id=3, members=tuple(members[:2]), planner=planner, op="or"),
        GroupSpec(id=7, members=tuple(members), planner=planner, op="or"),
    )
    return make_plan(NetworkSpec(name=spec.name, network=spec.network, groups=groups))


PLANS: list[tuple[Any, dict[str, Any]]] = [
    (mesh_plan, {}),
    (mesh_plan, {"operations": "all"}),
    (irregular_plan, {}),
    (irregular_plan, {"turnaround": "node", "cycles_per_hop": 1}),
]


@pytest.mark.parametrize(("make", "options"), PLANS)
def test_members_that_do_not_arrive(make: Any, options: dict[str, Any]) -> None:
    rng = random.Random(f"{make} {options}")
    for _ in range(4):
        bench = Bench(make(rng, **options))
        members = sorted(bench.group.members, key=bench.plan.spec.network.topology.index)
        absent = sorted(rng.sample(members, rng.randint(1, len(members) - 1)), key=members.index)
        bench.arrive(m for m in members if m not in absent)
        bench.run_to(24 * H)
        assert bench.missing() == Missing(members=tuple(absent))


def links_of(record: Any, lanes: int, ordinary: int) -> list[int]:
    lanes_up = [lane for lane in range(record.valid.bit_length()) if record.valid >> lane & 1]
    return [lane // lanes for lane in lanes_up if lane % lanes >= ordinary]


@pytest.mark.parametrize(("make", "options"), [PLANS[0], PLANS[2], PLANS[3]])
def test_a_message_that_is_lost(make: Any, options: dict[str, Any]) -> None:
    """Each message of a barrier in turn is dropped on its first link: it is told between whom."""
    plan = make(random.Random(4), **options)
    log = Sent()
    whole = Bench(plan, log)
    whole.arrive(whole.group.members)
    network = plan.spec.register_network
    lanes, ordinary = whole.model.packets.wiring.lanes, network.link_channels
    on_links: dict[int, list[int]] = {}
    while whole.model.idle_until() is not None:
        now, record = whole.model.cycle, whole.model.step()
        if record is not None:
            on_links[now] = links_of(record, lanes, ordinary)
    assert len(log.messages) > 4
    tried = 0
    for sent, source, destination in log.messages:
        bench = Bench(plan)
        bench.arrive(bench.group.members)
        links = [
            link for link in on_links[sent] if (bench.model.ends(link) or (None,))[0] == source
        ]
        if len(links) > 1:
            continue  # several messages of a router leave at once
        tried += 1
        bench.model.inject([Fault(sent, links[0], FaultKind.DROP)])
        bench.run_to(24 * H)
        found = bench.missing()
        assert [{seat(plan, end) for end in (source, destination)}] == [
            set(pair) for pair in found.lost
        ]
        assert not found.silent
    assert tried >= len(log.messages) // 2


def seat(plan: BarrierPlan, target: int) -> Any:
    network = plan.spec.network
    nodes = len(network.topology.nodes)
    is_switch = isinstance(network, IrregularSpec) and target >= nodes
    return target - nodes if is_switch else network.topology.node(target)


def test_a_router_that_is_silent() -> None:
    rng = random.Random(1)
    bench = Bench(mesh_plan(rng))
    members = sorted(bench.group.members, key=bench.plan.spec.network.topology.index)
    assert isinstance(bench.group, GroupPlan)
    gone = bench.group.tree.nodes[2]
    target = bench.plan.spec.network.topology.index(gone)
    bench.arrive(m for m in members if m not in (gone, members[0]))
    bench.run_to(24 * H)

    def read(at: int, address: int) -> int | None:
        return None if at == target else bench.read(at, address)

    expected = Missing(tuple(m for m in (members[0],) if m != gone), silent=(gone,))
    assert missing(bench.plan, 7, read) == expected

    def other(at: int, address: int) -> int | None:
        word = bench.read(at, address)
        is_control = at == target and word is not None and address % 8 == RegisterWord.CONTROL
        return word ^ CONTROL.pack({"gid": 1}) if is_control and word else word

    # A register that another group has taken meanwhile.
    assert missing(bench.plan, 7, other) == expected


FILE = 'name = "n"\n[network]\nkind = "mesh"\nwidth = 2\nheight = 1\n'


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            'sync = "wires"',
            "group 7: its barriers are no messages, and only registers of these keep who has "
            'come; set sync = "messages"',
        ),
    ],
)
def test_registers_keep_messages_alone(keys: str, message: str) -> None:
    groups = "".join(f'[[group]]\nid = {gid}\nmembers = "all"\n' for gid in (1, 7))
    plan = make_plan(reader.loads(f"{FILE}{keys}\n{groups}"))
    with pytest.raises(PlanError, match=f"^{re.escape(message)}$"):
        missing(plan, 7, lambda target, address: None)

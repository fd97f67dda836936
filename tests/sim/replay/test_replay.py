"""Schedules on hardware and on the golden model: which packets wait, where, and for how long."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.paths import paths
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError
from syncfabric.sim.replay import routes
from syncfabric.sim.replay.replay import Replayed, replay
from tests.models.collectives import right_schedules
from tests.models.collectives.right_schedules import table_4


def congested() -> Schedule:
    """Table 4 with 0 to 2 in step 1, where 1 to 2 is taken by 5 to 2, and 0 to 1 by 7 to 1."""
    first, second, *others = table_4().steps
    return replace(table_4(), steps=((*first, second[0]), second[1:], *others))


def together(
    topology: str, messages: Iterable[tuple[int, int]], rules: Rules | None = None
) -> Schedule:
    """Some messages of a complete exchange, all in one step on their first paths."""
    network = named(topology)
    step = [((a, b), next(paths(network, a, b))) for a, b in messages]
    return Schedule.of(network, collective("AAS", network), rules or Rules(), [step])


def first_fit(topology: str, ports: int) -> Schedule:
    """AAS with every message in the first step in which channels and ports are free for it."""
    network = named(topology)
    steps: list[list[tuple[tuple[int, int], tuple[int, ...]]]] = []
    taken: list[set[int]] = []
    count: list[dict[tuple[str, int], int]] = []
    for a, b in collective("AAS", network).pairs:
        path = next(paths(network, a, b))
        channels, ends = set(network.along(path)), (("out", a), ("into", b))
        place = next(
            (
                number
                for number, free in enumerate(taken)
                if not channels & free and all(count[number].get(e, 0) < ports for e in ends)
            ),
            len(steps),
        )
        if place == len(steps):
            steps.append([])
            taken.append(set())
            count.append({})
        steps[place].append(((a, b), path))
        taken[place] |= channels
        for end in ends:
            count[place][end] = count[place].get(end, 0) + 1
    return Schedule.of(network, collective("AAS", network), Rules(ports), steps)


PLAYABLE = {name for name in right_schedules.ALL if name != "fat Octagon OAB"}
HOP, FRONT = 1, 2
"""Cycles a hop; and before a packet's first flit of data is on its first link."""


def alone(flits: int, switches: int) -> int:
    """Return the cycles of a packet that nothing disturbs, of one route flit."""
    return FRONT + flits - 1 + switches * HOP


def on_the_model(schedule: Schedule, size: int = 16) -> Replayed:
    return replay(schedule, size=size, sim="model")


@pytest.mark.parametrize("name", sorted(PLAYABLE))
def test_right_schedules_show_no_waiting(name: str) -> None:
    schedule = right_schedules.ALL[name]()
    played = on_the_model(schedule)
    assert (played.waits, played.failure) == ((), None)
    assert played.ok
    assert [step.messages for step in played.steps] == [len(step) for step in schedule.steps]
    assert played.at_once is not None
    assert played.unbarred is not None
    assert played.bound <= min(played.cycles, played.at_once, played.unbarred)


@pytest.mark.parametrize(
    ("topology", "ports", "nodes"),
    [
        ("fat-octagon-16", 1, 16),
        ("coated-mesh-4x4", 1, 16),
        ("fat-tree-2x3", 1, 8),
        ("torus-3x3", 2, 18),
        ("mesh-12x1", 2, 22),
    ],
)
def test_processors_behind_switches_and_of_their_own(topology: str, ports: int, nodes: int) -> None:
    played = on_the_model(first_fit(topology, ports), size=4)
    assert played.ok, (played.waits, played.failure)
    assert played.packets.rerouted == 0
    # A processor of k ports is k nodes; those at the ends of a line use one.
    assert len(played.packets.fabric.irregular.nodes) == nodes


def test_a_step_takes_as_long_as_its_longest_message() -> None:
    played = on_the_model(together("mesh-4x1", [(0, 3)]), size=40)
    (step,) = played.steps
    assert (step.cycles, step.barrier) == (alone(10, 4), 0)
    assert played.cycles == played.at_once == played.unbarred == alone(10, 4)


@pytest.mark.parametrize(("nodes", "flit_bits"), [(16, 32), (17, 34), (64, 128)])
def test_flits_are_as_wide_as_the_longest_route(nodes: int, flit_bits: int) -> None:
    played = on_the_model(together(f"mesh-{nodes}x1", [(0, nodes - 1)]), size=40)
    assert played.packets.flit_bits == flit_bits
    assert played.cycles == alone(10, nodes)
    assert (played.waits, played.failure) == ((), None)


def test_a_conflict_is_reported_with_step_message_and_channel() -> None:
    schedule = together("mesh-4x1", [(0, 3), (1, 2)])
    played = on_the_model(schedule, size=64)
    (wait,) = played.waits
    assert (wait.step, wait.message, wait.channel, wait.others) == (1, (0, 3), (1, 2), ((1, 2),))
    # 1 to 2 is there a cycle before; 0 to 3 has one flit of 17 through when it comes.
    assert wait.cycles == 16
    assert not played.ok
    assert wait.words() == (
        "step 1: message 0 to 3 waits 16 cycles for channel 1 to 2, which 1 to 2 takes too"
    )


def test_the_reported_channel_is_the_one_for_which_the_head_waits() -> None:
    # 1 to 4 shares channel 1 to 2 as well, but goes first there.
    played = on_the_model(together("mesh-5x1", [(1, 4), (1, 2), (2, 3)]), size=64)
    found = {wait.message: (wait.channel, wait.others) for wait in played.waits}
    assert found == {(1, 4): ((2, 3), ((2, 3),)), (1, 2): ((1, 2), ((1, 4),))}


def test_too_many_messages_for_the_ports_wait() -> None:
    played = on_the_model(together("mesh-3x1", [(1, 0), (1, 2)], Rules(1)), size=16)
    (wait,) = played.waits
    assert (wait.message, wait.channel, wait.cycles) == ((1, 2), (1, 1), 5)
    assert wait.words().endswith("waits 5 cycles for a port of node 1, which 1 to 0 takes too")
    two = on_the_model(together("mesh-3x1", [(1, 0), (1, 2)], Rules(2)), size=16)
    assert two.waits == ()


def test_copies_of_a_broadcast_count_once() -> None:
    line = named("mesh-3x1")
    step = [((1, end), next(paths(line, 1, end))) for end in (0, 2)]
    for one_port, waits in (("single-use", 0), ("strict", 1)):
        rules = Rules(1, "single-use" if one_port == "single-use" else "strict")
        schedule = Schedule.of(line, collective("OAB", line, [1]), rules, [step])
        played = on_the_model(schedule)
        assert len(played.waits) == waits


def test_switches_that_hold_packets_up_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two flits of buffer are fewer than are in flight until a credit is back.
    monkeypatch.setattr(routes, "BUFFER_FLITS", 2)
    played = on_the_model(right_schedules.fig_5())
    assert len(played.waits) == 7
    assert not played.ok
    assert all(not wait.others for wait in played.waits)


def test_a_schedule_that_leaves_out_messages_is_not_right() -> None:
    played = on_the_model(together("mesh-3x1", [(0, 1)]))
    assert played.waits == ()
    assert not played.ok


def test_steps_in_which_nothing_is_sent() -> None:
    steps = right_schedules.fig_5().steps
    played = on_the_model(replace(right_schedules.fig_5(), steps=((), *steps, ())))
    assert [step.messages for step in played.steps] == [0, 2, 5, 0]
    assert played.waits == ()


def test_a_relay_waits_for_what_it_sends_on() -> None:
    line = named("mesh-3x1")
    steps = [[((0, 1), (0, 1))], [((0, 2), (1, 2))]]
    schedule = Schedule.of(line, collective("OAB", line), Rules(), steps)
    played = on_the_model(schedule, size=40)
    # The second packet goes the cycle after the tail of the first has come.
    assert played.unbarred == played.at_once == 2 * alone(10, 2) + 1


def test_without_barriers_a_port_keeps_its_order_and_with_no_schedule_it_does_not() -> None:
    line = named("mesh-4x1")
    sent: list[tuple[tuple[int, int], tuple[int, ...]]]
    sent = [((0, 2), (0, 1, 2)), ((0, 3), (2, 3)), ((2, 1), (2, 1))]
    kind = collective("MNB", line, [0, 2], [1, 2, 3])
    schedule = Schedule.of(line, kind, Rules(1), [[transfer] for transfer in sent])
    played = on_the_model(schedule, size=40)
    # Node 2 cannot pass on at first what its one port is to send before its own message.
    assert played.unbarred == alone(10, 3) + 1 + 11 + alone(10, 2)
    assert played.at_once == alone(10, 3) + 1 + alone(10, 2)


def test_messages_that_could_deadlock_have_virtual_channels() -> None:
    line = on_the_model(first_fit("mesh-4x1", 1), size=4)
    assert line.packets.channels == 1
    messages = [(n, (n + 4) % 9) for n in range(9)]
    ring = on_the_model(together("ring-9", messages), size=64)
    assert ring.packets.channels == 2
    assert ring.failure is None
    assert len(ring.waits) == 9
    assert all(wait.others for wait in ring.waits)


def test_messages_for_which_channels_do_not_suffice_take_up_down_routes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As if switches had one channel; table 4 needs two, so that none is left for its paths.
    monkeypatch.setattr(routes, "MOST_CHANNELS", 1)
    played = on_the_model(right_schedules.table_4())
    assert (played.packets.channels, played.packets.rerouted) == (1, 56)
    assert played.ok, (played.waits, played.failure)
    one_way = Topology("one-way", 3, 0, ((0, 1), (1, 2), (2, 0)))
    step = [((n, (n + 2) % 3), (n, (n + 1) % 3, (n + 2) % 3)) for n in range(3)]
    schedule = Schedule.of(one_way, collective("AAS", one_way), Rules(), [step])
    with pytest.raises(SpecError, match="topology one-way: without barriers its messages need"):
        on_the_model(schedule)


REFUSED: dict[str, tuple[Callable[[], Schedule], str]] = {
    "too many ports": (
        lambda: together("star-16", [(0, n) for n in range(1, 16)]),
        "topology star-16: node 0 needs a switch of 30 ports, 15 to others and 15 for what it "
        "sends and receives, but switches have 16 at most; schedule with fewer ports",
    ),
    "copies in switches": (
        right_schedules.fat_multicast,
        "schedule: step 1: messages 0 to 2 and 0 to 3 are one on channel 16 to 17, but switches "
        "neither copy nor combine packets; it cannot be played",
    ),
    "nothing": (lambda: together("ring-4", []), "schedule: it has no message to send"),
    "not informed": (
        lambda: replace(right_schedules.fig_5(), steps=right_schedules.fig_5().steps[::-1]),
        "schedule: step 1: message 0 to 2: node 3 sends it, but has not got it yet",
    ),
    "through a processor": (
        lambda: replace(
            together("fat-octagon-16", []),
            steps=Schedule.of(
                named("fat-octagon-16"),
                collective("AAS", named("fat-octagon-16")),
                Rules(),
                [[((0, 3), (0, 16, 1, 16, 17, 3))]],
            ).steps,
        ),
        "schedule: step 1: message 0 to 3 passes node 1, a processor without a router",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused(name: str) -> None:
    make, words = REFUSED[name]
    with pytest.raises(SpecError) as error:
        on_the_model(make())
    assert str(error.value) == words


def test_sizes_and_simulators_are_checked() -> None:
    with pytest.raises(SpecError, match=r"bytes must be 1 to 16,384, not 0"):
        on_the_model(right_schedules.fig_5(), size=0)
    with pytest.raises(SpecError, match="sim must be one of verilator, icarus, model, not 'x'"):
        replay(right_schedules.fig_5(), sim="x")
    with pytest.raises(SpecError, match="node 0 sends 32,776 flits through one port"):
        on_the_model(right_schedules.cube_aas(16), size=16_384)


@pytest.mark.nightly
def test_table_4_shows_no_waiting_on_hardware() -> None:
    played = replay(right_schedules.table_4(), sim="verilator")
    assert played.ok, (played.waits, played.failure)
    assert len(played.steps) == 4
    assert played.at_once is not None
    assert played.at_once > played.cycles


@pytest.mark.nightly
def test_a_conflict_shows_on_hardware() -> None:
    played = replay(congested(), sim="verilator")
    assert played.failure is None
    waits = {(wait.step, wait.message): wait for wait in played.waits}
    assert waits[1, (5, 2)].channel == (1, 2)
    assert waits[1, (5, 2)].others == ((0, 2),)
    assert {step for step, _ in waits} == {1}


@pytest.mark.nightly
def test_a_broadcast_on_the_ring(simulator: str) -> None:
    played = replay(right_schedules.fig_5(), sim=simulator)
    assert played.ok, (played.waits, played.failure)
    assert [step.messages for step in played.steps] == [2, 5]
    model = replay(right_schedules.fig_5(), sim="model")
    assert {**played.to_json(), "simulator": "model"} == model.to_json()

"""What a node must have before it sends."""

import pytest

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Rules, Schedule
from syncfabric.models.errors import SpecError
from syncfabric.sim.replay.slots import needs_of
from tests.models.collectives.right_schedules import fig_5, ring_oas, turned_round

STORE = Rules(switching="store-and-forward")


def test_copies_need_the_message() -> None:
    # In step 1 node 0 informs 3 and 6; in step 2 these and node 0 inform the others.
    transfers = [transfer for step in fig_5().steps for transfer in step]
    assert [transfer.message[1] for transfer in transfers] == [3, 6, 1, 2, 4, 5, 7]
    assert needs_of(fig_5()) == [(), (), (), (0,), (0,), (1,), ()]


def test_messages_that_go_hop_by_hop_need_their_last_hop() -> None:
    schedule = ring_oas(4)
    transfers = [transfer for step in schedule.steps for transfer in step]
    for number, (needs, (message, path)) in enumerate(
        zip(needs_of(schedule), transfers, strict=True)
    ):
        if path[0] == 0:
            assert needs == ()
        else:
            (before,) = needs
            assert before < number
            assert transfers[before].message == message
            assert transfers[before].path[-1] == path[0]


def test_a_reduce_needs_all_that_came() -> None:
    schedule = turned_round(fig_5(), "AOR")
    needs = needs_of(schedule)
    assert needs[:5] == [()] * 5
    for number, (_, path) in enumerate(schedule.steps[1], 5):
        came = [n for n, (_, way) in enumerate(schedule.steps[0]) if way[-1] == path[0]]
        assert needs[number] == tuple(came)


def test_what_has_not_come_in_a_step_before_cannot_be_sent() -> None:
    line = named("mesh-3x1")
    step = [((0, 1), (0, 1)), ((0, 2), (1, 2))]
    schedule = Schedule.of(line, collective("OAB", line), STORE, [step])
    with pytest.raises(SpecError, match="step 1: message 0 to 2: node 1 sends it, but has not"):
        needs_of(schedule)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ((0, 1, 0, 1), "schedule: step 1: message 0 to 1 passes a vertex twice"),
        ((0,), "schedule: step 1: message 0 to 1: its path must lead from node to node"),
    ],
)
def test_paths_that_cannot_be_taken(path: tuple[int, ...], words: str) -> None:
    line = named("mesh-3x1")
    schedule = Schedule.of(line, collective("AAS", line), Rules(), [[((0, 1), path)]])
    with pytest.raises(SpecError) as error:
        needs_of(schedule)
    assert str(error.value) == words

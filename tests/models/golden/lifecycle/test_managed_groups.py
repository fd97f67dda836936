"""Groups that managers set up: barriers, their ends, refusals and retries, on whole networks."""

import random

import pytest

from syncfabric.models.layout.setup import FREED, Answer, ManagerState, Operation, share_of
from syncfabric.models.layout.words import ManagerWord
from tests.models.golden.planes.nets import (
    Group,
    draw_group,
    draw_irregular,
    draw_mesh,
    irregular,
    manager_write,
    mesh,
    order,
    requests_of,
)
from tests.models.golden.planes.network_bench import Bench


def done(status: dict[str, int]) -> bool:
    """Whether a command is over without a refusal."""
    return (status["state"], status["code"], status["request"]) == (ManagerState.DONE, 0, 0)


def owned(bench: Bench, rng: random.Random, manager: int = 0) -> Group:
    """Draw a group whose entries are a manager's."""
    shape = bench.shape
    share = share_of(manager, len(shape.managers), shape.router.layout.entries)
    return draw_group(shape, rng, rng.choice(share[:16]))


@pytest.mark.parametrize("seed", range(12))
def test_barriers_of_groups_that_managers_set_up(seed: int) -> None:
    rng = random.Random(seed)
    managers = rng.choice((1, 1, 2))
    shape = (draw_mesh if seed % 2 else draw_irregular)(rng, managers)
    bench = Bench(shape)
    number = rng.randrange(managers)
    group = owned(bench, rng, number)
    assert done(bench.command(number, Operation.SETUP, group))
    bench.quiesce()
    if shape.router.watchdog:
        return  # members that come late are not waited for
    bench.is_open(group)
    many = group.members
    for _ in range(3):
        data = {i: rng.getrandbits(8) & (1 << shape.router.data_bits) - 1 for i in many}
        _, results = bench.barrier(group, data, late=rng.choice(sorted(many)))
        assert len(set(results)) == 1
    bench.barrier(group, last=many)
    bench.quiesce()
    report = FREED.unpack(bench.read(number, ManagerWord.FREED))
    root = group.root
    expected = {"router": root, "epoch": group.epoch[root], "entry": group.entry[root]}
    assert report == {**expected, "none": 0, "valid": 1}
    assert bench.read(number, ManagerWord.FREED) == 0
    assert not any(bench.alive(n, e) for n, e in group.entry.items())
    assert done(bench.command(number, Operation.SETUP, group))
    bench.quiesce()
    bench.barrier(group)
    assert done(bench.command(number, Operation.KILL, group))
    assert done(bench.command(number, Operation.KILL, group))
    assert all(bench.net.broken(i, group.entry[bench.home(i)]) for i in many)
    assert bench.read(number, ManagerWord.UNEXPECTED) == 0


def square() -> Bench:
    """A mesh of 4 x 2 with two managers, each with two of four entries."""
    return Bench(mesh(4, 2, (0, 5), groups=4, channels=1))


def test_a_manager_must_keep_to_its_share() -> None:
    bench = square()
    group = draw_group(bench.shape, random.Random(1), 2, range(8))
    status = bench.command(0, Operation.SETUP, group)
    assert (status["state"], status["code"]) == (ManagerState.FAILED, Answer.DENIED)
    assert status["request"] == 0
    assert not any(bench.alive(n, 2) for n in range(8))
    group.epoch = {}
    assert done(bench.command(1, Operation.SETUP, group))
    status = bench.command(0, Operation.KILL, group)
    assert (status["state"], status["code"]) == (ManagerState.FAILED, Answer.DENIED)
    assert all(bench.alive(n, 2) for n in range(8))


def test_a_wrong_epoch_is_refused_with_the_true_one() -> None:
    bench = square()
    group = draw_group(bench.shape, random.Random(1), 1, range(8))
    group.epoch = dict.fromkeys(group.entry, 2)
    status = bench.command(0, Operation.SETUP, group)
    assert (status["state"], status["code"], status["epoch"]) == (3, Answer.EPOCH, 0)
    group.epoch = dict.fromkeys(group.entry, 0)
    assert done(bench.command(0, Operation.SETUP, group))


def test_a_retry_is_idempotent_and_an_entry_in_use_is_busy() -> None:
    bench = square()
    group = draw_group(bench.shape, random.Random(1), 1, range(8))
    assert done(bench.command(0, Operation.SETUP, group))
    group.epoch = {}
    assert done(bench.command(0, Operation.SETUP, group))  # the same again
    bench.quiesce()
    bench.barrier(group)
    status = bench.command(0, Operation.SETUP, group)
    assert (status["code"], status["epoch"]) == (Answer.BUSY, 1)
    group.epoch = dict.fromkeys(group.entry, 2)
    status = bench.command(0, Operation.KILL, group)
    assert (status["code"], status["epoch"]) == (Answer.DENIED, 1)


@pytest.mark.parametrize("epoch", range(4))
def test_kill_makes_the_epochs_known(epoch: int) -> None:
    """Of entries that are not alive, whatever their epochs are."""
    bench = square()
    group = draw_group(bench.shape, random.Random(1), 1, range(8))
    group.epoch = {n: n % 4 for n in group.entry}
    assert done(bench.command(0, Operation.KILL, group))
    assert done(bench.command(0, Operation.SETUP, group))
    bench.quiesce()
    bench.barrier(group, last=group.members)
    bench.quiesce()
    group.epoch = dict.fromkeys(group.entry, epoch)
    status = bench.command(0, Operation.KILL, group)
    assert done(status)
    assert status["epoch"] == epoch
    assert done(bench.command(0, Operation.SETUP, group))
    bench.quiesce()
    bench.barrier(group)


def test_an_entry_that_has_ended_meanwhile_says_so() -> None:
    """SETUP of entries that a KILL has ended, by the same epoch: ENDED; by another one: EPOCH."""
    bench = square()
    group = draw_group(bench.shape, random.Random(1), 1, range(8))
    assert done(bench.command(0, Operation.SETUP, group))
    assert done(bench.command(0, Operation.KILL, group))
    for epoch, code in ((0, Answer.ENDED), (2, Answer.EPOCH), (3, Answer.EPOCH)):
        group.epoch = dict.fromkeys(group.entry, epoch)
        status = bench.command(0, Operation.SETUP, group)
        assert (status["code"], status["epoch"]) == (code, 1)
    group.epoch = dict.fromkeys(group.entry, 1)
    assert done(bench.command(0, Operation.SETUP, group))


def test_a_command_that_is_done_says_the_epoch_of_its_last_reply() -> None:
    bench = square()
    group = draw_group(bench.shape, random.Random(1), 1, range(8))
    assert bench.command(0, Operation.SETUP, group)["epoch"] == 1
    assert bench.command(0, Operation.KILL, group)["epoch"] == 1


def test_abort_ends_a_command_that_waits_for_ever() -> None:
    """A request to a router's node, where there is no sink but a manager: no reply comes."""
    links = [((0, 0), (1, 0))]
    bench = Bench(irregular(links, [(0, 1), (1, 1)], 2, (0,), groups=2, channels=1))
    group = draw_group(bench.shape, random.Random(1), 0, range(2))
    requests = requests_of(bench.shape, group, Operation.SETUP)
    requests[0][0] = bench.shape.header_of((1, 1))
    bench.obey(order(bench.shape, 0, Operation.SETUP, requests))
    bench.run(500)
    assert bench.net.manager_state(0) is ManagerState.RUNNING
    abort = manager_write(bench.shape, 0, ManagerWord.COMMAND, Operation.ABORT)
    assert bench.ask(abort) == (False, 0)
    status = bench.status(0)
    assert (status["state"], status["code"]) == (ManagerState.FAILED, Answer.ABORTED)
    assert bench.ask(abort) == (True, 0)
    group.epoch = {}
    assert done(bench.command(0, Operation.SETUP, group))
    bench.quiesce()
    bench.barrier(group)

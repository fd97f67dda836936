"""A manager commanded over the config port, and what its commands cost."""

from syncfabric.models.golden.network import model_of
from syncfabric.models.messages import MANAGER_STATUS, ManagerState, ManagerWord, Request
from syncfabric.models.planning.requests import manager_entries
from syncfabric.sim.drive.commander import Commander, Cost
from syncfabric.sim.drive.config_port import ConfigPort
from tests.sim.drive.networks import members, mesh, plan_of

NETWORK = mesh(3, 1, setup="manager")
PLAN = plan_of(NETWORK, members(5, (0, 0), (1, 0), (2, 0)))


class Stage:
    """A model, its config port, and one manager."""

    def __init__(self) -> None:
        self.model = model_of(NETWORK)
        self.port = ConfigPort(NETWORK, ())
        self.commander = Commander(self.model, 0, self.port.ask)

    def step(self) -> Cost | None:
        """Go a cycle; return what a command that is over has cost."""
        now = self.model.cycle
        self.port.hear(now, self.model.config_answer)
        cost = self.commander.end(now)
        config = self.port.give(now)[0] if self.port.may_ask else None
        self.model.step(config=config)
        return cost

    def run(self) -> Cost:
        """Go on until the command is over."""
        for _ in range(400):
            cost = self.step()
            if cost is not None:
                return cost
        raise AssertionError("the command does not end")


ENTRIES = manager_entries(PLAN, PLAN.message_groups[0], epoch=1)


def test_a_command_is_given_and_costs_what_it_takes() -> None:
    stage, began = Stage(), list[int]()
    stage.commander.order(Request.SETUP, ENTRIES, began.append)
    assert stage.commander.busy
    assert not stage.commander.runs
    cost = stage.run()
    assert cost == Cost(stage.model.cycle - 1 - began[0], 6)
    assert stage.commander.state is ManagerState.DONE
    assert not stage.commander.busy
    assert stage.model.holder(1, 5) == 0
    assert stage.step() is None


def test_one_after_the_other_each_with_its_own_cost() -> None:
    stage = Stage()
    stage.commander.order(Request.SETUP, ENTRIES)
    stage.run()
    stage.commander.order(Request.KILL, ENTRIES[:2])
    assert stage.run().packets == 4


def test_words_are_read() -> None:
    stage, heard = Stage(), list[tuple[bool, int]]()
    stage.commander.order(Request.SETUP, ENTRIES)
    stage.run()
    stage.commander.read(ManagerWord.STATUS, lambda now, *answer: heard.append(answer))
    stage.step()
    stage.step()
    ((refused, data),) = heard
    assert not refused
    assert MANAGER_STATUS.unpack(data)["state"] == ManagerState.DONE

"""The log of packets and messages."""

import csv
from io import StringIO

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.conduct import conduct_model
from syncfabric.sim.drive.recording import COLUMNS, EventLog
from syncfabric.sim.drive.scenario import Job, Scenario
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, members, mesh, plan_of

MESH = plan_of(mesh(3, 1), members(9, (0, 0), (2, 0)))


def rows_of(scenario: Scenario, plan: BarrierPlan = MESH) -> tuple[list[dict[str, str]], int]:
    """Run a group of two with the model; return the log's rows, and the messages counted."""
    text = StringIO()
    outcome = conduct_model(plan, scenario, Job(((plan, scenario),)), text).outcome(None)
    text.seek(0)
    return list(csv.DictReader(text, COLUMNS)), outcome.messages


def test_a_barrier_is_a_message_up_and_one_down() -> None:
    rows, messages = rows_of(Scenario(episodes=3))
    assert messages == len(rows) == 6
    assert [row["kind"] for row in rows] == ["reduce", "distribute"] * 3
    for up, down in zip(rows[::2], rows[1::2], strict=True):
        assert up["group"] == down["group"] == "9"
        assert (up["source"], up["destination"]) == (down["destination"], down["source"])
        assert {up["source"], up["destination"]} == {"0,0", "2,0"}
        for row in (up, down):
            assert int(row["cycle_out"]) == int(row["cycle_in"]) + 2
        assert int(down["cycle_in"]) > int(up["cycle_out"])


def test_on_an_irregular_network_it_is_a_message_a_link_each_way() -> None:
    plan = plan_of(irregular(SMALL, cycles_per_hop=1), members(9, (0, 1), (2, 1)))
    rows, messages = rows_of(Scenario(episodes=1, policy="together"), plan)
    assert messages == len(rows) == 2 * 4
    ways = {(row["kind"], row["source"], row["destination"]) for row in rows}
    up = {("0,1", "0"), ("2,1", "2"), ("2", "1"), ("1", "0")}
    assert ways == {("reduce", *way) for way in up} | {("distribute", *reversed(way)) for way in up}


def test_packets_have_no_group() -> None:
    rows, messages = rows_of(Scenario(episodes=0, background=0.2, cycles=800))
    assert messages == 0
    assert len(rows) > 10
    for row in rows:
        assert (row["kind"], row["group"]) == ("packet", "")
        assert row["source"] != row["destination"]
        assert int(row["cycle_out"]) >= int(row["cycle_in"]) + 5


def test_without_a_file_messages_are_counted() -> None:
    log = EventLog(mesh(2, 2))
    log.sync(0, 3, 0, 1, 10, 12)
    log.packet(0, 1, 3, 4, 12)
    log.flit(3, 12)
    assert log.messages == 1

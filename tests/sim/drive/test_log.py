"""The log of packets and messages."""

import csv
import io
from io import StringIO
from typing import Any

import pytest

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.log import COLUMNS, StaticLog
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.trace import Line
from tests.models.golden.static_bench import Group, cycle, ring, static, tree
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, members, mesh, plan_of
from tests.sim.drive.static.planned import planned, recorded

MESH = plan_of(mesh(3, 1), members(9, (0, 0), (2, 0)))


def rows_of(scenario: Scenario, plan: BarrierPlan = MESH) -> tuple[list[dict[str, str]], int]:
    """Run a group of two with the model; return the log's rows, and the messages counted."""
    text = StringIO()
    outcome = ScenarioRunner(plan, scenario, log=text).run_model()
    text.seek(0)
    return list(csv.DictReader(text, COLUMNS)), outcome.messages


@pytest.mark.parametrize("keys", [{}, {"transport": "routed"}, {"message_links": "shared"}])
def test_a_barrier_is_a_message_a_link_up_and_one_down(keys: dict[str, Any]) -> None:
    """From the ends of a row to the root, and back; the root is one of the three nodes."""
    plan = plan_of(mesh(3, 1, **keys), members(9, (0, 0), (2, 0)))
    root = plan.groups[0].root
    assert root is not None
    rows, messages = rows_of(Scenario(episodes=3), plan)
    barriers = [row for row in rows if row["kind"] == "reduce"]
    assert len(barriers) == 3 * 2  # two links
    assert messages == len(rows)
    assert {row["group"] for row in rows} == {"9"}
    ups = {(row["source"], row["destination"]) for row in barriers}
    downs = {(r["source"], r["destination"]) for r in rows if r["kind"] == "distribute"}
    assert downs == {(to, source) for source, to in ups}
    assert len(ups) == 2
    for source, to in ups:
        x, y = (int(words.split(",")[0]) for words in (source, to))
        assert abs(y - root[0]) == abs(x - root[0]) - 1


def test_on_an_irregular_network_so_are_those_of_nodes() -> None:
    plan = plan_of(irregular(SMALL, link_registers=2), members(9, (0, 1), (2, 1)))
    rows, messages = rows_of(Scenario(episodes=1, policy="together"), plan)
    assert messages == len(rows)
    ups = {(row["source"], row["destination"]) for row in rows if row["kind"] == "reduce"}
    downs = {(r["source"], r["destination"]) for r in rows if r["kind"] == "distribute"}
    assert downs == {(to, source) for source, to in ups}
    assert len(ups) == 4  # two nodes' links, and those between three switches
    assert {("0,1", "0"), ("2,1", "2")} < ups
    for row in rows:  # a node's link has no registers
        between = "," not in row["source"] + row["destination"]
        assert int(row["cycle_out"]) == int(row["cycle_in"]) + 2 * between


def test_packets_have_no_group() -> None:
    rows, messages = rows_of(Scenario(episodes=0, background=0.2, cycles=800))
    assert messages == 2  # GO goes over two links
    packets = [row for row in rows if row["kind"] != "go"]
    assert len(packets) == len(rows) - 2 > 10
    for row in packets:
        assert (row["kind"], row["group"]) == ("packet", "")
        assert row["source"] != row["destination"]
        assert int(row["cycle_out"]) >= int(row["cycle_in"]) + 5


def test_without_a_file_messages_are_counted() -> None:
    scenario = Scenario(episodes=3)
    outcome = ScenarioRunner(MESH, scenario).run_model()
    assert outcome.messages == rows_of(scenario)[1] > 0


SPEC = static(2, 2)


def rows(group: Group, episodes: int) -> tuple[list[list[str]], int]:
    """Return the rows of a run, and how many flits were counted."""
    file = io.StringIO()
    log = StaticLog(SPEC, (planned(7, group, SPEC),), file)
    for now, record in recorded(SPEC, group, episodes):
        log.wires(Line(now, record))
    return list(csv.reader(io.StringIO(file.getvalue()))), log.messages


def test_a_ring_has_notify_release_and_fillers() -> None:
    path = cycle(2, 2)
    found, messages = rows(ring(path), 3)
    assert messages == len(found) == 4 * 3 * 4  # members, episodes, B + 2
    for node in path:
        own = [row for row in found if row[3] == f"{node[0]},{node[1]}"]
        assert [row[0] for row in own] == ["filler", "filler", "notify", "release"] * 3
        assert {row[1] for row in own} == {"7"}
        assert {row[2] for row in own} == {"0,0"}
        assert all(int(begin) < int(end) for *_, begin, end in own)
        ends = [int(row[5]) for row in own]
        assert ends == sorted(ends)
    # A release goes round as the notify did: a hop a cycle, links and core link.
    release = [row for row in found if row[0] == "release" and row[3] == "1,0"]
    assert int(release[0][5]) - int(release[0][4]) == len(path) + 1


def test_a_tree_has_flits_that_members_read() -> None:
    group = tree({(1, 0): (0, 0), (1, 1): (1, 0)}, (0, 0), [(1, 1)])
    found, messages = rows(group, 2)
    assert messages == len(found) == 2 * group.flits(SPEC)
    assert {tuple(row[:4]) for row in found} == {("flit", "7", "0,0", "1,1")}

"""The log of flits on a static network."""

import csv
import io

from syncfabric.sim.drive.log import StaticLog
from syncfabric.sim.drive.trace import Line
from tests.models.golden.static_bench import Group, cycle, ring, static, tree
from tests.sim.drive.static.planned import planned, recorded

SPEC = static(2, 2)


def rows(group: Group, episodes: int) -> tuple[list[list[str]], int]:
    """Return the rows of a run, and how many flits were counted."""
    file = io.StringIO()
    log = StaticLog(SPEC, (planned(7, group, SPEC),), file)
    for now, record in recorded(SPEC, group, episodes):
        log.wires(Line(now, record))
    return list(csv.reader(io.StringIO(file.getvalue()))), log.messages


def test_a_ring_tells_notify_release_and_fillers() -> None:
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


def test_a_tree_tells_flits_that_members_read() -> None:
    group = tree({(1, 0): (0, 0), (1, 1): (1, 0)}, (0, 0), [(1, 1)])
    found, messages = rows(group, 2)
    assert messages == len(found) == 2 * group.flits(SPEC)
    assert {tuple(row[:4]) for row in found} == {("flit", "7", "0,0", "1,1")}

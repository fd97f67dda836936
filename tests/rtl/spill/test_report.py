"""The list of freed groups and the one that is reported, against a list in Python."""

import random
from collections import deque

from syncfabric.rtl.spill.report import FreedReport
from tests.rtl.support import SEED, clocked


def test_one_report_at_a_time_and_it_can_be_withdrawn() -> None:
    rng, listed = random.Random(SEED), deque[int]()
    report: tuple[int, int] | None = None
    cases, expected, popped, withdrawn = [], [], None, 0
    for _ in range(3000):
        case = {"gid": rng.randrange(4), "manager": rng.randrange(4)}
        case |= dict.fromkeys(("push", "pop", "put", "withdraw"), 0)
        case["clear_freed"] = int(report is not None and rng.random() < 0.1)
        wanted = {"ready": int(bool(listed) and report is None), "freed": int(report is not None)}
        if report is not None:
            wanted |= {"freed_gid": report[0], "freed_manager": report[1]}
        if popped is not None:
            wanted["oldest"] = popped
        cases.append(case)
        expected.append(wanted)
        popped, act = None, rng.random()
        before = report
        report = None if case["clear_freed"] else report
        if act < 0.2:
            case["push"] = 1
            listed.append(case["gid"])
        elif act < 0.4 and wanted["ready"]:
            case["pop"], popped = 1, listed.popleft()
        elif act < 0.5 and before is None:
            case["put"], report = 1, (case["gid"], case["manager"])
        elif act < 0.6:
            case["withdraw"] = 1
            if before is not None and before[0] == case["gid"]:
                report, withdrawn = None, withdrawn + 1
    assert withdrawn > 5
    for case, seen, wanted in zip(cases, clocked(FreedReport(), cases), expected, strict=True):
        assert {name: seen[name] for name in wanted} == wanted, case

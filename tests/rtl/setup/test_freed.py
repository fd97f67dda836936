"""Which group's end is reported: the lowest register's."""

import random

import pytest

from syncfabric.rtl.setup.freed import FreedChoice
from tests.rtl.setup.cases import CASES
from tests.rtl.support import SEED, evaluate


@pytest.mark.parametrize("name", list(CASES))
def test_the_lowest_register_goes_first(name: str) -> None:
    case, rng = CASES[name], random.Random(SEED)
    count = case.spec.barrier_registers
    cases, expected = [], []
    for _ in range(200):
        gids = [rng.randrange(256) for _ in range(count)]
        managers = [rng.randrange(4) for _ in range(count)]
        freed = rng.randrange(1 << count)
        given = {
            "gids": sum(gid << 8 * r for r, gid in enumerate(gids)),
            "managers": sum(manager << 2 * r for r, manager in enumerate(managers)),
            "freed": freed,
            "enable": rng.randrange(2),
        }
        cases.append(given)
        lowest = next((r for r in range(count) if freed >> r & 1), None)
        wanted = {"put": 0, "clear_freed": 0, "stray": 0}
        if given["enable"] and lowest is not None:
            manager = managers[lowest]
            built = manager < len(case.managers)
            wanted = {"put": int(built), "stray": int(not built)}
            wanted["clear_freed"] = 1 << lowest
            if built:
                wanted["gid"] = gids[lowest]
                wanted["manager"] = manager
        expected.append(wanted)
    for given, seen, wanted in zip(
        cases, evaluate(FreedChoice(case.form), cases), expected, strict=True
    ):
        assert {name: seen[name] for name in wanted} == wanted, given

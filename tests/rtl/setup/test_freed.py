"""Which group's end is reported: the lowest register's, then a spilled one's."""

import random

import pytest

from syncfabric.rtl.setup.freed import FreedChoice
from tests.rtl.setup.cases import CASES
from tests.rtl.support import SEED, evaluate


@pytest.mark.parametrize("name", list(CASES))
def test_the_lowest_register_goes_first(name: str) -> None:
    case, rng = CASES[name], random.Random(SEED)
    count, spill = case.spec.barrier_registers, case.spec.spill
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
        if spill:
            given |= {"spill_freed": rng.randrange(2), "spill_gid": rng.randrange(256)}
            given["spill_manager"] = rng.randrange(4)
        cases.append(given)
        lowest = next((r for r in range(count) if freed >> r & 1), None)
        spilled = lowest is None and given.get("spill_freed", 0)
        wanted = {"put": 0, "clear_freed": 0, "stray": 0}
        if given["enable"] and (lowest is not None or spilled):
            manager = given["spill_manager"] if lowest is None else managers[lowest]
            built = manager < len(case.managers)
            wanted = {"put": int(built), "stray": int(not built)}
            wanted["clear_freed"] = 0 if lowest is None else 1 << lowest
            if built:
                wanted["gid"] = given["spill_gid"] if lowest is None else gids[lowest]
                wanted["manager"] = manager
        if spill:
            wanted["clear_spill_freed"] = int(given["enable"] and spilled)
        expected.append(wanted)
    for given, seen, wanted in zip(
        cases, evaluate(FreedChoice(case.form), cases), expected, strict=True
    ):
        assert {name: seen[name] for name in wanted} == wanted, given

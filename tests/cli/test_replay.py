"""``syncfabric replay``."""

import json
from pathlib import Path

from syncfabric.models.collectives.files import save_schedule
from tests.cli.conftest import Call
from tests.models.collectives.right_schedules import fat_multicast, fig_5
from tests.sim.replay.test_replay import congested


def test_a_schedule_in_which_nothing_waits_is_code_0(call: Call, here: Path) -> None:
    save_schedule(fig_5(), here / "s.json")
    result = call("replay", "s.json", "--sim", "model", "--bytes", 64)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "broadcast (OAB) on ring-8, all ports, single-use, wormhole",
        "network    8 switches of 4 ports, 10 ports of 8 processors, 1 virtual channel; "
        "collective engines",
        "messages   7, 16 flits each behind a route in 32 bits",
        "step 1     21 cycles, 2 messages, barrier 6",
        "step 2     22 cycles, 5 messages",
        "in all     49 cycles, 6 of them for barriers",
        "no barrier 41 cycles for the schedule without them",
        "at once    58 cycles for the same messages with no schedule",
        "bound      36 cycles: 2 times 17 flits, and the path",
        "verdict    no packet waits a cycle",
    ]


def test_a_conflict_is_code_1_and_says_where(call: Call, here: Path) -> None:
    save_schedule(congested(), here / "s.json")
    result = call("replay", "s.json", "--sim", "model")
    assert result.exit_code == 1
    said = [line[11:] for line in result.stdout.splitlines() if line.startswith("waits ")]
    assert (
        "step 1: message 5 to 2 waits 17 cycles for channel 1 to 2, which 0 to 2 takes too" in said
    )
    last = result.stdout.splitlines()[-1]
    assert last == "verdict    packets wait, and the checker finds 2 rules broken"


def test_as_json(call: Call, here: Path) -> None:
    save_schedule(congested(), here / "s.json")
    result = call("replay", "s.json", "--sim", "model", "--bytes", 10, "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["ok"], found["right"], found["failure"]) == (False, False, None)
    assert (found["flits"], found["messages"], found["channels"]) == (3, 56, 2)
    assert [step["messages"] for step in found["steps"]] == [14, 13, 13, 16]
    assert found["cycles"] == sum(step["cycles"] + step["barrier"] for step in found["steps"])
    assert found["bound_steps"] == 4
    assert found["waits"][0]["step"] == 1
    save_schedule(fig_5(), here / "s.json")
    result = call("replay", "s.json", "--sim", "model", "--json")
    assert json.loads(result.stdout)["ok"] is True
    assert json.loads(result.stdout)["waits"] == []


def test_what_cannot_be_played_is_code_2(call: Call, here: Path) -> None:
    save_schedule(fat_multicast(), here / "s.json")
    result = call("replay", "s.json", "--sim", "model")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: s.json: schedule: step 1: messages 0 to 2 and 0 to 3 are one on channel 16 to 17, "
        "but switches neither copy nor combine packets; it cannot be played\n"
    )
    save_schedule(fig_5(), here / "s.json")
    assert call("replay", "s.json", "--bytes", 0).exit_code == 2
    assert call("replay", "s.json", "--sim", "x").exit_code == 2

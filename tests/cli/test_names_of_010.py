"""Names of release 0.1.0 on the command line and in its JSON."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer

from syncfabric.cli import app
from syncfabric.cli.names_of_010 import FIELDS, GONE, NO_BLOCKS, OPTIONS, VALUES, todays_values
from syncfabric.cli.options import keys
from syncfabric.fpga.blocks import BLOCKS, block_network
from syncfabric.models.errors import SpecError
from syncfabric.models.networks.reader import ready_made
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.campaign.request import Kind
from syncfabric.sim.cores.compile import BARRIERS
from syncfabric.sim.results import RunResult
from tests.cli.conftest import Call

COMMANDS: Any = typer.main.get_command(app)


def option_values(command: str) -> dict[str, Any]:
    return {
        option: p
        for p in COMMANDS.get_command(None, command).params
        for option in (*p.opts, p.name)
    }


@pytest.mark.parametrize(("command", "old"), OPTIONS)
@pytest.mark.parametrize("form", [["{}", "0"], ["{}=0"]])
def test_an_option_works_under_its_old_name(
    call: Call, command: str, old: str, form: list[str]
) -> None:
    new = OPTIONS[command, old]
    assert new in option_values(command)
    assert old not in option_values(command)
    done = call(command, "churn-mesh", *(word.format(old) for word in form))
    today = call(command, "churn-mesh", *(word.format(new) for word in form))
    line, rest = done.stderr.split("\n", 1)
    assert line == f"warning: {old} is called {new} now; the old name goes with the next release"
    assert (done.exit_code, done.stdout, rest) == (2, today.stdout, today.stderr)
    assert today.stderr.startswith("error: ")


def test_an_option_is_known_by_its_whole_name_before_two_dashes(call: Call) -> None:
    for words in (["--patiences", "3"], ["--", "--patience"]):
        assert "called" not in call("recover", "churn-mesh", *words).stderr
    assert "called" not in call("run", "churn-mesh", "--patience", "3").stderr


@pytest.mark.parametrize(
    ("place", "old"), [(place, old) for place, names in VALUES.items() for old in names]
)
def test_a_value_works_under_its_old_name(
    here: Path, place: tuple[str, str], old: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, name = place
    new = VALUES[place][old]
    own = {"barrier": {*BARRIERS}, "kinds": {kind.value for kind in Kind}}
    known = own.get(name, {*ready_made(), *BLOCKS})
    assert name in option_values(command)
    assert new in known
    assert old not in known
    several = name == "inputs"
    values: dict[str, Any] = {name: [old, "x"] if several else old, "other": old}
    todays_values(command, values)
    assert values == {name: [new, "x"] if several else new, "other": old}
    assert capsys.readouterr().err == (
        f"warning: {old} is called {new} now; the old name goes with the next release\n"
    )
    (here / old).write_text("a file of this name is meant itself")
    values = {name: old}
    todays_values(command, values)
    assert values == {name: old}
    assert not capsys.readouterr().err


@pytest.mark.parametrize(
    ("place", "old"), [(place, old) for place, names in GONE.items() for old in names]
)
def test_a_value_that_is_gone_is_refused_with_what_takes_its_place(
    here: Path, place: tuple[str, str], old: str
) -> None:
    command, name = place
    assert old not in VALUES[place]
    assert old not in {*BARRIERS, *BLOCKS, *ready_made()}
    remedy = GONE[place][old]
    line = f'"{old}" is gone since 0.1.0: {remedy}'
    with pytest.raises(SpecError, match=f"^{re.escape(line)}$"):
        todays_values(command, {name: old})
    taken = set(re.findall(r"take ([\w-]+)", remedy)) - {"a", "its"}
    assert taken <= {*BARRIERS, *BLOCKS, *ready_made()}


def test_a_refusal_is_one_line_with_exit_code_2(call: Call) -> None:
    done = call("plan", "spill-4x4")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        'error: "spill-4x4" is gone since 0.1.0: a router holds up to 256 groups (groups in '
        "[network]); take soak-4x4\n"
    )


@pytest.mark.parametrize("old", [old for old, remedy in NO_BLOCKS.items() if "--set" in remedy])
def test_the_block_that_takes_a_place_has_the_key(old: str) -> None:
    block = re.findall(r"(router-[a-z-]+|engine-4|slots)", NO_BLOCKS[old])[-1]
    block_network(block, keys(re.findall(r"--set (\S+)", NO_BLOCKS[old]), "set"))


def test_a_plan_has_its_old_fields_beside_those_of_today(call: Call) -> None:
    plan = json.loads(call("plan", "wires-cluster", "--json").stdout)
    table = plan["settings"]
    assert table["barrier_registers"] == table["groups"] == 16
    assert table["sync_links"] == table["message_links"] == "own"
    assert (table["cycles_per_hop"], table["output_register"]) == (1, False)
    assert [group["slot"] for group in plan["groups"]] == [0, 1, 2]
    assert all(group["entries"][0]["entry"] == 16 + group["slot"] for group in plan["groups"])
    again = BarrierPlan.from_json(plan).to_json()
    for old in ("barrier_registers", "sync_links", "cycles_per_hop"):
        del table[old]
    for group in plan["groups"]:
        del group["slot"]
    assert again == plan


def test_a_run_has_its_old_field_and_is_read_with_it(call: Call) -> None:
    done = call("run", "churn-mesh", "--sim", "model", "--churn", "2", "--json")
    result = json.loads(done.stdout)
    assert result["churn"]["lives"] == result["churn"]["instances"] == 2
    again = RunResult.from_json(result)
    del result["churn"]["instances"]
    assert RunResult.from_json(result) == again
    del result["churn"]["lives"]
    assert again.to_json() == {**result, "churn": {**result["churn"], "instances": 2}}


def test_a_header_has_its_old_name(call: Call, here: Path) -> None:
    assert call("build", "reflex-2x2", "-o", ".").exit_code == 0
    header = (here / "reflex-2x2_registers.h").read_text("utf-8")
    assert "#define REFLEX_2X2_WORD_PATIENCE REFLEX_2X2_WORD_TIMEOUT\n" in header


def test_a_group_of_messages_has_no_slot_and_a_static_plan_no_old_field(call: Call) -> None:
    (group,) = json.loads(call("plan", "mesh-2x2", "--json").stdout)["groups"]
    assert group["slot"] is None
    plan = json.loads(call("plan", "reflex-2x2", "--json").stdout)
    for table, old, _, _ in FIELDS["plan"]:
        for row in [plan[table]] if table == "settings" else plan[table]:
            assert old not in row


def test_a_plan_of_010_is_refused_by_its_old_names(call: Call) -> None:
    plan = json.loads(call("plan", "mesh-2x2", "--json").stdout)
    del plan["settings"]["groups"]
    with pytest.raises(SpecError, match="barrier_registers"):
        BarrierPlan.from_json(plan)

"""Which variant fits."""

import json

import pytest
from typer.testing import CliRunner

from syncfabric.cli import app
from syncfabric.fpga.blocks import BLOCKS
from syncfabric.models.errors import SpecError
from syncfabric.models.networks import reader
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.advise import VARIANTS, Advice, Asked, Fit, advise, measured


def fit(advice: Advice, name: str) -> Fit:
    (found,) = (each for each in advice.fits if each.name == name)
    return found


@pytest.mark.parametrize("groups", [1, 3, 16])
def test_each_file_is_planned_as_said(groups: int) -> None:
    asked = Asked((8, 8), 4, groups)
    advice = advise(asked)
    for each in advice.fits:
        if each.file:
            plan = make_plan(reader.loads(each.file))
            assert max(group.bound for group in plan.groups) == each.cycles
            assert len(plan.groups) == groups
            assert {len(group.members) for group in plan.groups} == {4}
    assert advice.best is not None
    assert advice.best.ns == min(each.ns or 0 for each in advice.fits if each.file)


def test_what_does_not_fit_says_why() -> None:
    many = advise(Asked(groups=40))
    assert "wires must be 0 to 16" in fit(many, "wires").why_not
    assert "takes part in one barrier" in fit(many, "static tree").why_not
    assert fit(many, "messages").file
    data = advise(Asked(data=8))
    assert "no data" in fit(data, "static ring").why_not
    assert fit(data, "software").why_not
    assert "65" not in fit(data, "wires").file
    vector = advise(Asked(vector=True))
    assert vector.best is not None
    assert vector.best.name == "streams"
    assert "stream = true" in vector.best.file
    assert advise(Asked(dynamic=True, faults=True)).best is not None


def test_each_group_has_vectors() -> None:
    """Or the variant does not fit."""
    five = advise(Asked(groups=5, vector=True))
    assert five.best is None
    assert "group 4: no channel is left for its stream" in fit(five, "streams").why_not
    apart = advise(Asked((16, 16), 2, 5, vector=True, seed=3))
    assert fit(apart, "streams").file.count("stream = true") == 5
    barriers = advise(Asked(groups=5))
    assert fit(barriers, "streams").file.count("stream = true") == 4


def test_faults_and_managers_are_in_the_file() -> None:
    spec = reader.loads(fit(advise(Asked(dynamic=True, faults=True)), "messages").file)
    network = spec.message_network
    assert (network.setup, network.check_bits, network.watchdog) == ("manager", 8, 1024)


def test_more_members_than_were_measured() -> None:
    advice = advise(Asked((16, 16), 65))
    assert "64 members" in fit(advice, "software").why_not
    assert advice.fits[-1].why_not


def test_blocks_and_sizes_that_were_measured_are_there() -> None:
    blocks = {variant.block for variant in VARIANTS} | {"router-xy"}
    assert blocks == {*measured()}
    assert {block.split()[0] for block in blocks} <= {*BLOCKS}
    assert [*measured("software.csv")] == ["2", "4", "8", "16", "32", "64"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (((1, 8), 2), "columns must be 2 to 64, not 1"),
        (((8, 8), 65), "--members must be 2 to 64, not 65"),
        (((8, 8), 16, 0), "--groups must be 1 to 256"),
        (((8, 8), 16, 1, 33), "--data must be 0 to 32"),
    ],
)
def test_numbers_out_of_range(given: tuple[object, ...], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        Asked(*given)  # type: ignore[arg-type]


def test_the_command(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("advise") / "best.toml"
    done = CliRunner().invoke(app, ["advise", "--groups", "2", "-o", str(file), "--json"])
    assert done.exit_code == 0
    assert json.loads(done.stdout)["fits"][0]["file"] == file.read_text()
    shown = CliRunner().invoke(app, ["advise", "--vector", "--data", "1"])
    assert shown.exit_code == 0
    assert "take streams" in shown.stdout
    wrong = CliRunner().invoke(app, ["advise", "--nodes", "8by8"])
    assert wrong.exit_code == 2

"""Faults that fuzzing has found, one by one; each of these was red."""

import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from syncfabric.models import files
from syncfabric.models.broadcast.tree import Tree
from syncfabric.models.collectives.files import read, save_schedule
from syncfabric.models.errors import OutputError, SpecError
from syncfabric.models.files import read_bytes, read_text, write_whole
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.network import Network
from syncfabric.sim.output import write_folder
from tests.fuzz.campaign import sandbox
from tests.fuzz.test_command_line import SCHEDULE
from tests.fuzz.test_kept_files import RESUMED, checkpoint

HEAD = b'name = "x"\n[network]\nkind = "mesh"\nwidth = 2\nheight = 2\n'
GRAPH = b'name = "n"\n[network]\nkind = "irregular"\nports = 4\ngraph = "f"\n'
PERMUTED = "schedule ring-4 permutation --permutation f"
FOUND: dict[str, tuple[str, bytes, str]] = {
    "a pipe that nobody writes to": ("plan fifo", b"", "name is missing"),
    "a pipe as a report's input": ("report fifo -o p.html", b"", "name is missing"),
    "a device": ("plan /dev/zero", b"", "it is a device, not a file"),
    "a device as a schedule": ("check /dev/zero", b"", "it is a device, not a file"),
    "lists in lists": ("plan f", b"a = " + b"[" * 3000, "nested too deep"),
    "objects in objects": ("check f", b'{"a":' * 30000, "nested too deep"),
    "many digits": ("plan f", b"a = " + b"9" * 5000, "a number or a date in it"),
    "many digits of JSON": ("check f", b"9" * 5000, "a number in it has too many digits"),
    "members with many digits": ("schemes mesh-2x2 --members " + "9" * 5000, b"", "must be"),
    "a long name of a network": ("plan " + "9" * 300, b"", "File name too long"),
    "a long name of a topology": ("topologies " + "9" * 300, b"", "File name too long"),
    "a long name in a report": ("report " + "9" * 300 + " -o p.html", b"", "File name too long"),
    "a long name of a page": ("report f -o " + "9" * 300 + ".html", b"", "too long"),
    "a long name of a schedule": ("schedule ring-4 OAS -o " + "9" * 300, b"", "too long"),
    "a name that no file can have": ("plan f", HEAD.replace(b"x", b"x" * 101), "100 in all"),
    "a folder that is a dangling link": ("build mesh-2x2 -o dangling", b"", "no such"),
    "letters that command a terminal": ("plan \x1b[2J\n", b"", '"\\x1b[2J\\n" is neither'),
    "a key as long as a book": ("plan f", HEAD + b"x" * 40000 + b" = 1\n", "wires"),
    "a fraction as a node": (PERMUTED, b"[0.5, 1, 2, 3]", "0.5 is no node"),
    "true as a node": (PERMUTED, b"[true, 0, 2, 3]", "true is no node"),
    "infinity as a node": (PERMUTED, b"[Infinity, 1, 2, 3]", "Infinity is no node"),
    "more steps than hops": (
        "schedule ring-4 OAS --steps 1000000000",
        b"",
        "steps: 1,000,000,000 is more than",
    ),
    "detours that there are not": (
        "schedule ring-4 OAS --nonminimal 1000000000",
        b"",
        "no path is 1,000,000,000 hops longer",
    ),
    "islands for a continent": ("schedule ring-4 OAS --islands 1000000000", b"", "'--islands'"),
    "ranks without end": ("bcast --ranks 1000000000", b"", "'--ranks'"),
    "an infinite time": ("check f --ts inf --json", SCHEDULE, "'--ts'"),
    "a clock that is no number": ("synth router-engine --freq nan", b"", "above 0 MHz"),
    "seeds without end": ("synth router-engine --seeds " + "9" * 30, b"", "1 to 1,000"),
    "a checkpoint that is no archive": (
        " ".join(RESUMED),
        b"PK\x03\x04",
        "it is no checkpoint, or it is damaged",
    ),
}


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> None:
    """Compile the search, which takes a while the first time."""
    checkpoint()


@pytest.mark.parametrize("what", FOUND)
def test_is_refused(what: str) -> None:
    words, data, message = FOUND[what]
    with sandbox() as box:
        for name in ("f", "c"):
            (box.here / name).write_bytes(data)
        assert box.call(words.split(" "), late="--checkpoint" in words) == 2
    said = box.said.splitlines()[-1]
    assert message in said
    assert len(said) < 1100


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    end, other = os.pipe()
    os.write(other, "grün\r\n".encode())
    os.close(other)
    assert read_text(Path(f"/dev/fd/{end}")) == "grün\n"
    os.close(end)


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 3)
    (tmp_path / "f").write_bytes(b"abcd")
    with pytest.raises(OSError, match="it is larger than 3 bytes"):
        read_bytes(tmp_path / "f")


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    """Neither of the file's own name, nor of the one that it has while it is written."""
    (tmp_path / "far").mkdir()
    far = tmp_path / "far" / "canary"
    far.write_text("alive")
    for name in ("a", f".{os.getpid()}.part", f".{os.getpid()}.0.part", f".a.{os.getpid()}.part"):
        (tmp_path / name).symlink_to(far)
    write_whole(tmp_path / "a", b"new")
    (tmp_path / "a").unlink()
    (tmp_path / "a").symlink_to(far)
    write_folder(tmp_path, {"a": "new"})
    assert far.read_text() == "alive"
    assert (tmp_path / "a").read_text() == "new"


def test_a_schedule_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    schedule = read(json.loads(SCHEDULE))
    (tmp_path / "s").mkdir()
    with pytest.raises(OutputError, match="cannot be written"):
        save_schedule(schedule, tmp_path / "s")
    (tmp_path / "link").symlink_to("far")
    save_schedule(schedule, tmp_path / "link")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "s"]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("groups", None, "plan: it is not as it was written"),
        ("settings", {}, "plan: there is no 'kind' where one belongs"),
        ("settings", {"kind": "cube"}, "plan: there is no 'cube' where one belongs"),
    ],
)
def test_a_plan_that_is_none(key: str, value: Any, message: str) -> None:
    values = Network.load("mesh-2x2").plan().to_json()
    with pytest.raises(SpecError, match=message):
        BarrierPlan.from_json({**values, key: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [("0/option", 2**31 - 1), ("0/step", -1), ("0/step", 99), ("0/counts", -1)],
)
def test_a_checkpoint_that_would_lead_out_of_memory(name: str, value: int) -> None:
    """Compiled loops do not look whether an index is within its array."""
    arrays = dict(checkpoint())
    arrays[name] = np.full_like(arrays.get(name, np.zeros(1)), value)
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    with sandbox() as box:
        (box.here / "c").write_bytes(stream.getvalue())
        assert box.call(RESUMED, late=True) == 2
    assert "it is no checkpoint, or it is damaged" in box.said


def test_a_label_of_many_digits() -> None:
    """It is a name, not a number."""
    with sandbox() as box:
        (box.here / "f").write_bytes(b"0 1\n1 " + b"9" * 5000)
        (box.here / "n").write_bytes(GRAPH)
        assert box.call(["topologies", "f"]) == 0
        assert box.call(["plan", "n"]) == 0


def test_a_cost_that_no_float_holds() -> None:
    huge = 10**5000
    with pytest.raises(SpecError, match="cost matrix: it must be a square of numbers"):
        Tree([[0, huge], [huge, 0]])
    with pytest.raises(SpecError, match="cost between 0 and 1: it must be finite"):
        Tree([[0, 1], [1, 0]]).update_cost(0, 1, huge)


def test_the_rank_that_is_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PMI_RANK", "first")
    monkeypatch.setenv("PMI_SIZE", "many")
    with sandbox() as box:
        assert box.call(["plan", "nix"]) == 2
        assert "neither a network file nor" in box.said

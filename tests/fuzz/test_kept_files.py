"""Files that the tools keep for themselves: checkpoints, and results of jobs."""

import io
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from syncfabric.cli import app
from syncfabric.models.collectives.annealing import solve
from syncfabric.sim.experiments.jobs import Kept
from tests.fuzz.campaign import fuzzed, sandbox
from tests.fuzz.mutation import broken_bytes

TASK = ["schedule", "mesh-3x3", "AAS", "--ports", "1", "--method", "hgsa", "--steps", "8"]
RESUMED = [*TASK, "--islands", "1", "--checkpoint", "c", "--time-limit", "0.001", "--json"]


@pytest.fixture(autouse=True, scope="module")
def _short() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solve, "EPOCH", 100)
        yield


@cache
def checkpoint() -> dict[str, Any]:
    with sandbox() as box, pytest.MonkeyPatch.context() as patch:
        patch.chdir(box.here)
        patch.setattr(solve, "EPOCH", 100)
        CliRunner().invoke(app, RESUMED)
        with np.load(box.here / "c") as stream:
            return dict(stream)


@st.composite
def _arrays(draw: st.DrawFn) -> bytes:
    """Draw a checkpoint of the right run, some of its arrays changed."""
    arrays = dict(checkpoint())
    for name in draw(st.lists(st.sampled_from(sorted(arrays)), max_size=3, unique=True)):
        how = draw(st.sampled_from(["drop", "value", "all", "shape", "type", "rename", "other"]))
        array = arrays[name]
        if how == "drop":
            del arrays[name]
        elif how == "rename":
            arrays[draw(st.sampled_from(["x", "1/step", "-1/best.step", ""]))] = arrays.pop(name)
        elif how == "shape":
            arrays[name] = array.ravel()[: draw(st.integers(0, 3))]
        elif how == "type":
            arrays[name] = array.astype(draw(st.sampled_from(["U9", "c16", "i1", "f8", "M8[s]"])))
        elif how == "other":
            arrays[name] = draw(st.sampled_from([*arrays.values()]))
        elif array.dtype.kind in "iuf":
            number = draw(st.sampled_from([-1, 0, 1, 127, 2**31 - 1, -(2**31)]))
            arrays[name] = changed = np.array(array)
            flat = changed.reshape(-1)
            flat[0 if how == "value" else slice(None)] = np.array(number).astype(array.dtype)
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def _resume(data: bytes) -> None:
    with sandbox() as box:
        (box.here / "c").write_bytes(data)
        box.call(RESUMED, differs=True, late=True)


@fuzzed()
@given(_arrays())
def test_arrays_of_a_checkpoint(data: bytes) -> None:
    _resume(data)


@fuzzed()
@given(st.data())
def test_bytes_of_a_checkpoint(data: st.DataObject) -> None:
    stream = io.BytesIO()
    np.savez(stream, **checkpoint())
    _resume(data.draw(broken_bytes(stream.getvalue())))


def _job(_: int) -> int:
    return 0


def _line(text: bytes) -> bytes:
    return b"%08x %s\n" % (zlib.crc32(text), text)


LINES = b"\n" + b"".join(_line(b"%024x [%d, null]" % (i, i)) for i in range(3))


@fuzzed(2)
@given(
    st.one_of(
        broken_bytes(LINES),
        st.binary(max_size=60).map(_line),
    )
)
def test_kept_results(data: bytes) -> None:
    """What is not as it was written is as if it were not there."""
    with sandbox() as box, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYNCFABRIC_CACHE", str(box.here))
        path: Path = Kept(_job).path
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        Kept(_job)

"""An operator of 32 bits in a program of its own: millions of pairs, as numpy has them."""

import dataclasses
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from amaranth.lib import wiring

from syncfabric.models.layout.streams import Function
from syncfabric.sim.assemble.verilog import convert
from syncfabric.sim.simulators.base import Design
from syncfabric.sim.simulators.verilator import Verilator
from tests.rtl.streams.reference import Words, expected
from tests.rtl.support import SEED


def agrees(
    operator: wiring.Component,
    latency: int,
    folder: Path,
    a: Words,
    b: Words,
    function: Any,
    kind: Any,
    both: Any = 1,
) -> None:
    """Give an operator a pair in each cycle, and compare what it makes of them.

    Parameters
    ----------
    operator : Operator
        Of 32 bits.
    latency : int
        Its own.
    folder : Path
        For what is built and run.
    a, b : array
        Operands; where only one is there the other one is taken as 0.
    function, kind, both : array or number
        Of each pair, or of all.

    Raises
    ------
    AssertionError
        Something differs: the first pairs of which it does, and the seed.
    """
    a, b, function, kind, both = (
        np.array(each, np.uint32) for each in np.broadcast_arrays(a, b, function, kind, both)
    )
    a[(both == 0) & (function % 2 == 0)] = 0
    b[(both == 0) & (function % 2 == 1)] = 0
    source = folder / "operator.v"
    source.write_text(convert(operator, "operator"))
    main = Path(__file__).with_suffix(".cpp")
    tool = dataclasses.replace(Verilator.find(), opt_fast="-O1")
    built = tool.build_native([Design("operator", [source])], main)
    given, seen = folder / "pairs", folder / "results"
    np.stack([a, b, both | function << 1 | kind << 4], axis=1).tofile(given)
    subprocess.run([built.program, given, seen, str(latency)], check=True)
    results, wanted = np.fromfile(seen, np.uint32), expected(function, kind, both, a, b)
    assert results.size == wanted.size
    wrong = np.flatnonzero(results != wanted)
    assert not wrong.size, "; ".join(
        f"pair {i}: {Function(function[i]).name} of type {kind[i]}, both {both[i]}: "
        f"{a[i]:08x} {b[i]:08x} is {results[i]:08x}, not {wanted[i]:08x}; seed {SEED}"
        for i in wrong[:5]
    )

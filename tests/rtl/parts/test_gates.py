"""Sums of any number of bits and numbers, and counters of as many events as a node can have."""

import random
from collections.abc import Callable

import pytest
from amaranth import Cat, Module, Signal, Value, unsigned
from amaranth.hdl import Fragment
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import COUNTER_BITS
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.unit import BarrierUnit
from syncfabric.rtl.irregular.barrier_unit import BarrierUnit as SwitchUnit
from syncfabric.rtl.irregular.node_unit import NodeUnit
from syncfabric.rtl.parts.events import count_events
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.traffic.totals import TrafficTotals
from tests.rtl.irregular.specs import network as irregular
from tests.rtl.support import SEED, clocked

TOP = 64
"""Registers or slots, at most."""


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 31, 63, 64, 65, 128, 1000])
@pytest.mark.parametrize("bits", [1, 3])
def test_a_sum_is_as_wide_as_its_numbers_take(count: int, bits: int) -> None:
    summed = total([Signal(bits) for _ in range(count)])
    assert summed.shape() == unsigned(bits + (count - 1).bit_length())


class Sums(wiring.Component):
    """The sum of ``count`` numbers of ``bits`` bits, and the events of them all, counted."""

    def __init__(self, count: int, bits: int) -> None:
        self._bits = bits
        super().__init__({"numbers": In(count * bits), "sum": Out(16), "seen": Out(COUNTER_BITS)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits, numbers = self._bits, self.numbers
        words: list[Value] = [numbers[i : i + bits] for i in range(0, len(numbers), bits)]
        half = len(words) // 2
        # Both kinds of events, the first counter among two.
        seen, _ = count_events(m, [words[:half], [Cat(words[0])]], [words[half:], []])
        m.d.comb += [self.sum.eq(total(words)), self.seen.eq(seen[:COUNTER_BITS])]
        return m


@pytest.mark.parametrize(("count", "bits"), [(3, 1), (64, 1), (2 * TOP, 1), (70, 3)])
def test_what_is_summed_and_counted(count: int, bits: int) -> None:
    rng = random.Random(SEED)
    full, most = (1 << count * bits) - 1, (1 << COUNTER_BITS) - 1
    numbers = [0, 0, full, 0, *(rng.getrandbits(count * bits) for _ in range(20)), 0, 0]
    words = [[n >> i & (1 << bits) - 1 for i in range(0, count * bits, bits)] for n in numbers]
    half, counted = count // 2, 0
    cases = [{"numbers": n} for n in numbers]
    for cycle, seen in enumerate(clocked(Sums(count, bits), cases)):
        assert seen["sum"] == sum(words[cycle])
        if cycle >= 1:
            counted += sum(words[cycle - 1][:half])
        if cycle >= 2:
            counted += sum(words[cycle - 2][half:])
        counted = min(counted, most)
        assert seen["seen"] == counted


def mesh(**keys: object) -> MeshSpec:
    fields = {"kind": "mesh", "width": 2, "height": 2, "barrier_registers": TOP, **keys}
    return MeshSpec.model_validate(fields)


UNITS: dict[str, Callable[[], wiring.Component]] = {
    "mesh": lambda: BarrierUnit(mesh()),
    "both": lambda: BarrierUnit(mesh(sync="both", operations="all", check_bits=8)),
    "switch, both": lambda: SwitchUnit(irregular(barrier_registers=TOP, sync="both", ports=16)),
    "node, both": lambda: NodeUnit(irregular(barrier_registers=TOP, sync="both")),
    "traffic": lambda: TrafficTotals(1024),
}
LONG = {"mesh", "both", "switch, both", "node, both"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name in LONG)) for name in UNITS]
)
def test_a_unit_of_the_greatest_size_elaborates(name: str) -> None:
    Fragment.get(UNITS[name](), None)

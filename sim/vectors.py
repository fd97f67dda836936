"""Streams as users name them: what members of a group do, and the operation."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from syncfabric.models.errors import SpecError, check_range
from syncfabric.models.layout.stream_traffic import MOST_WORDS
from syncfabric.models.layout.streams import Function, Type, built
from syncfabric.models.networks.explain import choice
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.scenario import Streaming

STREAMS = ("allreduce", "reduce", "broadcast")
"""All give and take; all give and the first member takes; the first gives and all take."""

_FUNCTIONS = {
    **{"add": Function.ADD, "min": Function.MIN, "max": Function.MAX},
    **{"umin": Function.MIN_UNSIGNED, "umax": Function.MAX_UNSIGNED},
    **{"and": Function.AND, "or": Function.OR, "xor": Function.XOR},
}
_TYPES = {
    **{"i8": Type.INT8, "i16": Type.INT16, "i32": Type.INT32},
    **{"bf16": Type.BF16, "f32": Type.FP32, "offload": Type.OFFLOAD},
}
_OPERATORS = ("add", "integer", "bf16", "fp32", "offload")


@dataclass(frozen=True)
class StreamRequest:
    """A stream that all groups that can have one are to perform.

    Parameters
    ----------
    kind : str
        One of ``STREAMS``.
    words : int, 1 to 4096
        Of each operand.
    op : str
        Function and type, as ``add.i32``.
    """

    kind: str
    words: int = 256
    op: str = "add.i32"

    def check(self, spec: NetworkSpec) -> None:
        """Refuse what a network's groups cannot perform.

        Raises
        ------
        SpecError
            With the value, and what to do.
        """
        if self.kind not in STREAMS:
            raise SpecError(f"stream must be {choice(STREAMS)}, not {self.kind!r}")
        check_range("words", self.words, 1, MOST_WORDS)
        function, _, kind = self.op.partition(".")
        if function not in _FUNCTIONS or kind not in _TYPES:
            raise SpecError(
                f"op must be a function ({', '.join(_FUNCTIONS)}), a point and a type "
                f"({', '.join(_TYPES)}), as add.i32, not {self.op!r}"
            )
        if not any(group.stream for group in spec.groups):
            raise SpecError(
                f"stream = {self.kind}: no group of {spec.name} has a stream; set stream = true in "
                "a [[group]], and streams and wires in [network] of a mesh or an irregular network"
            )
        network = spec.message_network
        there = network.stream_operations
        if self._operation not in built(there):
            builders = [name for name in _OPERATORS if self._operation in built((name,))]
            instead = f"; name {choice(builders)} there" if builders else ""
            raise SpecError(
                f"op = {self.op} is not built with stream_operations = {list(there)}, but "
                f"{', '.join(_names(there))}{instead}"
            )
        (code, number), unit = self._operation, network.offload
        if unit and number == Type.OFFLOAD:
            unit.of(code, network.stream_bits)(0, 0)  # wrong now, and not in a run

    @property
    def _operation(self) -> tuple[Function, Type]:
        function, _, kind = self.op.partition(".")
        return _FUNCTIONS[function], _TYPES[kind]

    def streams(self, plan: BarrierPlan, seed: int) -> Iterator[Streaming]:
        """Yield the stream of each group that can have one."""
        rng, (function, kind) = random.Random(f"{seed}/operands"), self._operation
        for group in plan.groups:
            if group.stream_bound is None:
                continue
            members = range(len(group.members))
            yield Streaming(
                group.id,
                function,
                kind,
                self.words,
                size=0,
                gives=members[:1] if self.kind == "broadcast" else members,
                takes=members[:1] if self.kind == "reduce" else members,
                seed=rng.getrandbits(32),
            )


def _names(operations: tuple[str, ...]) -> Iterator[str]:
    """Yield the operations that are built, as users name them."""
    there = built(operations)
    for kind, number in _TYPES.items():
        for function, code in _FUNCTIONS.items():
            if (code, number) in there:
                yield f"{function}.{kind}"

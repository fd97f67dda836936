"""What is around a block in a proof that a mutant is the same as the original."""

from typing import Any

from amaranth import Module, Value
from amaranth.lib import wiring

from tests.formal.properties import Properties


class Around(wiring.Component):
    """Everything free, but for inputs that stay.

    Parameters
    ----------
    part : Component
    fixed : dict
        Inputs that are constant.
    """

    def __init__(
        self,
        part: wiring.Component,
        *,
        fixed: dict[str, int] | None = None,
    ) -> None:
        self._part, self._fixed = part, fixed or {}
        super().__init__(part.signature)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.part = self._part
        claims = Properties(m)
        wiring.connect(m, self._part, wiring.flipped(self))
        for path, _, value in self._part.signature.flatten(self):
            name = "__".join(map(str, path))
            word: Any = Value.cast(value)
            if name in self._fixed:
                claims.assume(word == self._fixed[name])
        return m

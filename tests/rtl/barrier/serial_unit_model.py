"""The golden serial unit of one node, with the router around it played by a bench."""

from collections import deque

from syncfabric.models.golden.barrier_register import BarrierRegister
from syncfabric.models.golden.config_port import configure
from syncfabric.models.golden.record import SpillRelease
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.serial_mesh import LATE
from syncfabric.models.golden.serial_unit import SerialUnit
from syncfabric.models.golden.spill import SpillEngine
from syncfabric.models.golden.wiring import Wiring
from syncfabric.models.messages import REGISTER_WORDS, Counter, RegisterWord
from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.barrier.unit_model import UnitInputs, UnitModel

__all__ = ["SerialUnitModel"]

Asked = tuple[int, bool, int] | None


class SerialUnitModel(UnitModel):
    """Steps ``models/golden`` for one node with a serial unit (section 4.7)."""

    unit: SerialUnit

    def __init__(self, spec: MeshSpec, node: int) -> None:
        wiring = Wiring(spec)
        self.spec, self.wiring, self.node = spec, wiring, node
        self.credits = [0] * (wiring.links * wiring.lanes)
        self._released: list[tuple[int, int, int]] = []
        self._spill_released: list[SpillRelease] = []
        self._answers: list[tuple[bool, bool, int]] = []
        self.unit = SerialUnit(spec, Rules(spec, wiring), node, self.credits, self._released)
        self.spill: SpillEngine[BarrierRegister] | None = None
        self.now, self.started = 0, False
        self.release, self.spill_release = [], []
        self.answer = (False, False, 0)
        self.offers, self.taken = {}, set()
        self._requests: deque[Asked] = deque([None] * LATE)
        self._control: int | None = None

    @property
    def hold(self) -> set[int]:
        """Return the inputs that present no message for this node in the coming cycle.

        Not said of messages that come in this one.
        """
        return {port for port in self.unit.passed if port < 4}

    @property
    def rewritten(self) -> int | None:
        """Return the register whose word 0 a write reaches in the coming cycle."""
        due = self._requests[0]
        if due is None or not due[1] or self._register(due) is None:
            return None
        r, word = divmod(due[0], REGISTER_WORDS)
        return r if word == RegisterWord.CONTROL else None

    def step(self, inputs: UnitInputs, sent: int, sent_bits: dict[int, int]) -> None:
        for port in range(4):
            for turn in range(2):
                lane = self.wiring.lane(self.node, port, self.wiring.channels + turn)
                self.credits[lane] = inputs.credits >> 2 * port + turn & 1
        started, unit = self.started, self.unit
        self._ask(inputs)
        accepted = {}
        for r, data in inputs.arrive.items():
            if unit.accepts(r, started):
                accepted[r] = data
            else:
                unit.count(Counter.REFUSED_ARRIVE)
        self._send(sent, sent_bits)
        self.taken = set(unit.absorb(dict(sorted(inputs.here.items())), None, {}))
        for _ in range(inputs.overflows):
            unit.count(Counter.OVERFLOW)
        for r, data in accepted.items():
            unit.arrive(r, data)
        unit.commit()
        self._turn_page(inputs.start)

    def _register(self, asked: Asked) -> BarrierRegister | None:
        """Return the register that a request is for."""
        r = len(self.unit.registers) if asked is None else asked[0] // REGISTER_WORDS
        return self.unit.registers[r] if r < len(self.unit.registers) else None

    def _ask(self, inputs: UnitInputs) -> None:
        due = self._requests.popleft()
        self.unit.still = any(self._register(asked) is not None for asked in self._requests)
        control, self._control = self._control, None
        soon = self._requests[0]
        register = self._register(soon)
        if soon is not None and register is not None and not soon[1]:
            reads = soon[0] % REGISTER_WORDS == RegisterWord.CONTROL
            self._control = register.words[RegisterWord.CONTROL] if reads else None
        self._requests.append(inputs.request)
        if due is not None:
            self._answers.append((True, *configure(self.unit, *due)))
            if control is not None:
                self._answers[-1] = (True, False, control)

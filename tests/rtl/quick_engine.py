"""Amaranth's simulator in three quarters of its time: what does not change costs little."""

import re
from typing import Any
from unittest.mock import patch

from amaranth import Signal
from amaranth.sim import _pyrtl as compiling
from amaranth.sim.pysim import PySimEngine

_SLOT = re.compile(r"slots\[(\d+)\]")
_RUN = "def run():"


class _Emitter(compiling._PythonEmitter):
    """Writes processes whose signals are local, and that update only those that change."""

    def append(self, code: str) -> None:
        slot, update, rest = code.partition(".update(")
        if update:
            value = rest.rstrip(")").partition(",")[0]
            code = f"if {slot}.next != {value}: {code}"
        super().append(code)

    def flush(self, indent: str = "") -> str:
        code: str = super().flush(indent)
        if not code.startswith(_RUN):
            return code
        numbers = sorted({int(number) for number in _SLOT.findall(code)})
        given = ", ".join(f"slot_{number}=slots[{number}]" for number in numbers)
        head, _, body = code.partition(_RUN)
        return f"{head}def run({given}):" + _SLOT.sub(r"slot_\1", body)


class QuickEngine(PySimEngine):
    """Give it to a `Simulator`; it draws no waveforms, and nothing resets it.

    It keeps the set of processes that are to be run, where Amaranth asks each process in turn.
    """

    def __init__(self, design: Any) -> None:
        self._ready = ready = set[Any]()
        self._signals: dict[int, tuple[Signal, Any]] = {}

        def on_change(process: Any) -> Any:
            def waker(*_: int) -> bool:
                ready.add(process)
                return True

            return waker

        def on_edge(process: Any, polarity: int) -> Any:
            def waker(_: int, new: int) -> bool:
                if new == polarity:
                    ready.add(process)
                return True

            return waker

        with patch.multiple(
            compiling,
            _PythonEmitter=_Emitter,
            comb_waker=on_change,
            memory_waker=on_change,
            edge_waker=on_edge,
        ):
            super().__init__(design)
        ready.update(process for process in self._processes if process.runnable)
        self._processes.clear()  # what is added now is run as Amaranth does it: clocks

    def get_value(self, expr: Any) -> int:
        if found := self._signals.get(id(expr)):
            return int(found[1].curr)
        if type(expr) is Signal:
            self._signals[id(expr)] = expr, self._state.slots[self._state.get_signal(expr)]
        return int(super().get_value(expr))

    def step_design(self) -> None:
        ready, state = self._ready, self._state
        while True:
            for trigger in self._active_triggers:
                trigger.run()
            self._active_triggers.clear()
            for process in self._processes:
                if process.runnable:
                    process.runnable = False
                    process.run()
            now = list(ready)
            ready.clear()
            for process in now:
                process.run()
            self._delta_cycles += 1
            if state.commit():
                return

"""Lives of groups in the golden model, written down so that hardware can be made to live them."""

from pathlib import Path
from typing import Any

from syncfabric.models.golden.record import Record
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.assemble.script import Stimulus, StimulusKind, script_text
from syncfabric.sim.drive.trace import EMPTY, observe_line, record_line
from syncfabric.sim.fabric.program import Fabric, build_fabric

__all__ = ["Notes"]


class Notes:
    """Stands before a model's ``step``: keeps its inputs as stimuli and what the probe must write.

    Parameters
    ----------
    model : StaticModel
        Fresh from reset.
    registers : int
        Registers of a node.
    """

    def __init__(self, model: StaticModel, registers: int) -> None:
        self._model, self._registers, self._step = model, registers, model.step
        self._seen: dict[int, int] = {}
        self.stimuli: list[Stimulus] = []
        self.text: list[str] = []
        self._step()  # nothing can be driven in the first cycle
        model.step = self.step  # type: ignore[method-assign]

    def step(self, **inputs: Any) -> Record | None:
        """Step the model, and write down what goes in and what comes out."""
        model, now = self._model, self._model.cycle
        for (node, register), data in inputs.get("arrive", {}).items():
            last = (node, register) in inputs.get("last", ())
            index = node * self._registers + register
            self.stimuli.append(Stimulus(now, StimulusKind.ARRIVE, index, data, int(last)))
        for node, flit in inputs.get("send", {}).items():
            self.stimuli.append(Stimulus(now, StimulusKind.SEND, node, flit))
        for node in inputs.get("take", ()):
            self.stimuli.append(Stimulus(now, StimulusKind.TAKE, node))
        config = inputs.get("config")
        if config is not None:
            index = config.node << 12 | config.address
            write = int(config.write)
            self.stimuli.append(Stimulus(now, StimulusKind.CONFIG, index, config.data, write))
        answer = model.config_answer
        changed = self._changed() if model.release else None
        record = self._step(**inputs)
        if record is not None or answer[0]:
            self.text.append(record_line(now, record or EMPTY, answer))
            if changed is not None:
                self.text.append(observe_line(changed))
        return record

    def _changed(self) -> list[tuple[int, int]]:
        changed = []
        for target in sorted(self._model.touched):
            value = self._model.observe(target)
            if value != self._seen.get(target, 0):
                self._seen[target] = value
                changed.append((target, value))
        self._model.touched.clear()
        return changed

    def check(self, network: AnySpec, folder: Path) -> None:
        """Play the stimuli on hardware, and compare every line of its probe."""
        script, probe = folder / "script.txt", folder / "probe.txt"
        script.write_text(script_text(self.stimuli))
        with Fabric(build_fabric(network)) as fabric:
            fabric.probe(probe)
            fabric.script(script)
            fabric.run(self._model.cycle)
            seen = probe.read_text().splitlines()
        for number, (hardware, model) in enumerate(zip(seen, self.text, strict=False)):
            assert hardware == model, f"line {number}"
        assert len(seen) == len(self.text)

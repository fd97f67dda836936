"""The golden model of an engine beside the reference model, with the same inputs."""

import random
from typing import Any

from syncfabric.models.golden.engine.engine import Outputs
from syncfabric.models.golden.engine.memory import Message
from tests.models.golden.engine_stimuli import Build, EngineStimuli
from tests.models.golden.reference_engine import ReferenceEngine


def seen(outputs: Outputs) -> dict[str, Any]:
    """Return what has a meaning on the ports, as the reference model does."""

    def words(message: Message | None) -> tuple[int, int, int, int | None, int] | None:
        return (*message,) if message else None

    answer = outputs.answer
    return {
        "arrive_ready": outputs.arrive_ready,
        "links": {p: words(message) for p, message in outputs.links.items()},
        "release": words(outputs.release),
        "freed": outputs.freed,
        "answer": answer and (answer.error, answer.rdata & answer.meaning, answer.meaning),
    }


class EngineRace(EngineStimuli):
    """Both models, compared in every cycle."""

    def __init__(self, build: Build, rng: random.Random, busy: float, right: float) -> None:
        super().__init__(build, rng, busy, right)
        self.reference = ReferenceEngine(build.layout, *build.options.values())
        self.passed = [0] * (self.layout.links + 1)  # services while a head waits, by source

    def step(self) -> None:
        """Go through a cycle with both."""
        inputs, now = self.inputs(), self.reference.t
        words = {p: tuple(message) for p, message in inputs.links.items()}
        expected = self.reference.cycle(words, *inputs[1:])  # type: ignore[arg-type]
        routes = {q: tuple(route) for q, route in self.engine.routes.items()}
        got = self.engine.step(*inputs[:3], hold=inputs.hold)
        if expected["answer"]:
            error, rdata, known = expected["answer"]
            expected["answer"] = (error, rdata & known, known)
        assert seen(got) | {"routes": routes} == expected, f"cycle {now}: {self.build}"
        self.take_turns(now)
        self.observe(got)

    def take_turns(self, now: int) -> None:
        """See that each head is served within as many services as there are sources.

        With ``hold`` it is one more: a grant that was made for one alone is kept meanwhile.
        """
        for service in self.reference.services:
            if service.s == now:
                for source in range(self.layout.links + 1):
                    head = self.reference.head(source, now)
                    self.passed[source] += head is not None
                self.passed[service.source] = 0
        assert max(self.passed) <= self.layout.links + self.build.shared

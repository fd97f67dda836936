"""In every cycle the model of the sink agrees with a reference model of the contract."""

import random
from collections import Counter
from dataclasses import astuple

import pytest

from tests.models.golden.reference_sink import ReferenceSink
from tests.models.golden.sink_stimuli import SinkStimuli, draw_sink


def play(seed: int, cycles: int) -> Counter[str]:
    rng = random.Random(seed)
    build = draw_sink(rng)
    stimuli = SinkStimuli(build, rng)
    layout = build.layout
    reference = ReferenceSink(
        build.headers,
        build.reply_bit,
        build.router,
        layout.entries,
        layout.image_words,
        build.channels,
        build.buffer_flits,
    )
    for cycle in range(cycles):
        inputs = stimuli.inputs()
        came, chain, answer, freed, credit = inputs
        expected = reference.cycle(
            came and astuple(came)[:5],  # type: ignore[arg-type]
            chain and (chain.write, chain.address, chain.data),
            answer and (answer.error, answer.rdata),
            freed and (freed.entry, freed.epoch),
            credit,
        )
        assert stimuli.step(inputs) == expected, f"cycle {cycle}: {build}"
    return stimuli.seen


STATES = ("LISTEN", "WRITE", "JUDGE", "COMMIT", "START", "ANSWER")


def test_model_agrees_with_the_reference() -> None:
    seen = sum((play(seed, 400) for seed in range(60)), Counter[str]())
    assert min(seen[what] for what in (*STATES, "replies", "unexpected")) > 100
    assert min(seen[what] for what in ("refused", "overflows")) > 20


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(100, 500, 20))
def test_model_agrees_with_the_reference_at_length(first: int) -> None:
    for seed in range(first, first + 20):
        play(seed, 3000)

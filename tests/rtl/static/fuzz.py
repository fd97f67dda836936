"""Random stimuli for a whole static network, and what the golden model says the probe writes."""

import random
from dataclasses import dataclass, field

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.messages.registers import CONFIG_ADDRESS_BITS
from syncfabric.models.messages.static import INIT, ROLE_WORD, LoaderWord, StaticWord
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.free_links import Output
from syncfabric.models.planning.static_routes import chain_words
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.drive.trace import EMPTY, observe_line, record_line

PHASES = 6


@dataclass
class Play:
    """Stimuli by cycle, and the lines that the probe must write."""

    network: StaticSpec
    stimuli: list[Stimulus] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    cycles: int = 0


def random_routes(rng: random.Random, network: StaticSpec) -> tuple[dict[Output, int], set[Output]]:
    """Return routes in which outputs select a port that they can, or nothing; and what to flush."""
    layout = network.layout
    outputs = [(s, port) for s in range(layout.switches) for port in range(layout.ports)]
    routes = {
        output: rng.choice(layout.inputs(output[1])) for output in outputs if rng.random() < 0.6
    }
    return routes, {output for output in outputs if rng.random() < 0.5}


def requests(rng: random.Random, network: StaticSpec) -> list[tuple[int, ConfigRequest]]:
    """Return the config requests of a phase, each with the cycles that it takes."""
    loader, nodes = network.layout.loader, range(network.layout.loader)
    routes, flush = random_routes(rng, network)
    found = []
    for word in chain_words(network, routes, flush):
        found.append((rng.choice((33, 34)), ConfigRequest(loader, LoaderWord.SHIFT, True, word)))
    found.append((1, ConfigRequest(loader, LoaderWord.STROBE, True)))
    for node in rng.sample(nodes, len(nodes)):
        role = ROLE_WORD.pack(
            {"role": rng.choice((0, 1, 1, 2, 2, 3, 4, 5)), "flits": rng.randrange(1, 9)}
        )
        found.append((rng.choice((1, 3)), ConfigRequest(node, StaticWord.ROLE, True, role)))
        found.append((1, ConfigRequest(node, StaticWord.COMMAND, True, INIT)))
    for _ in range(60):
        node = rng.randrange(loader + 1)
        address = rng.choice((0, 1, 2, 2, 3, 1024, 1025, 1026, 1027, 1028))
        write = rng.random() < 0.3 and not (node == loader and address == LoaderWord.SHIFT)
        data = rng.choice((0, 1, rng.getrandbits(32)))
        found.append((rng.randrange(1, 4), ConfigRequest(node, address, write, data)))
    return found


def random_play(network: StaticSpec, seed: int) -> Play:
    """Return a play of some phases, each with routes and roles of its own."""
    rng = random.Random(seed)
    model, play = StaticModel(network), Play(network)
    nodes = range(network.layout.loader)
    seen: dict[int, int] = {}
    queue: list[tuple[int, ConfigRequest]] = []
    phases, wait = 0, 0
    while phases < PHASES or queue:
        if not queue:
            queue, phases = requests(rng, network), phases + 1
            eager = rng.random()
        now, config = model.cycle, None
        if now and wait == 0:
            wait, config = queue.pop(0)
            play.stimuli.append(_config(now, config))
        wait = max(wait - 1, 0)
        chosen = [node for node in nodes if now and rng.random() < 0.25 * eager]
        arrive = {(node, 0): 0 for node in chosen if rng.random() < 0.7}
        send = {node: rng.getrandbits(network.flit_bits) for node in chosen if rng.random() < 0.5}
        take = [node for node in chosen if rng.random() < 0.5]
        hold = {node: rng.random() < 0.4 for node in chosen if rng.random() < 0.2}
        kinds = StimulusKind
        play.stimuli += [Stimulus(now, kinds.ARRIVE, node) for node, _ in arrive]
        play.stimuli += [Stimulus(now, kinds.SEND, node, flit) for node, flit in send.items()]
        play.stimuli += [Stimulus(now, kinds.TAKE, node) for node in take]
        play.stimuli += [Stimulus(now, kinds.HOLD, node, level) for node, level in hold.items()]
        answer, changed = model.config_answer, _changed(model, seen) if model.release else None
        record = model.step(arrive=arrive, hold=hold, send=send, take=take, config=config)
        if record is not None or answer[0]:
            play.lines.append(record_line(now, record or EMPTY, answer))
        if changed is not None:
            play.lines.append(observe_line(changed))
    play.cycles = model.cycle
    return play


def _config(cycle: int, request: ConfigRequest) -> Stimulus:
    index = request.node << CONFIG_ADDRESS_BITS | request.address
    return Stimulus(cycle, StimulusKind.CONFIG, index, request.data, int(request.write))


def _changed(model: StaticModel, seen: dict[int, int]) -> list[tuple[int, int]]:
    """Return the nodes whose state is not what it was when last asked for."""
    changed = []
    for node in sorted(model.dirty):
        value = model.observe(node)
        if value != seen.get(node, 0):
            seen[node] = value
            changed.append((node, value))
    model.dirty.clear()
    return changed

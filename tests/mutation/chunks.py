"""Ways to break schedules in chunks, their checker and their bounds."""

from tests.mutation.mutant import Mutant


def _broken(name: str, part: str, old: str, new: str, *tests: str) -> Mutant:
    folder = "tests/models/collectives/chunks"
    killers = tuple(f"{folder}/test_{test}.py" for test in tests or (part,))
    return Mutant(f"chunks: {name}", f"models/collectives/chunks/{part}.py", old, new, killers)


CHUNKS = (
    _broken(
        "a rank sends on what comes in the same slot",
        "slots",
        "for some in into[rank][:slot] for before in some",
        "for some in into[rank][: slot + 1] for before in some",
    ),
    _broken(
        "a switch's channels become ways whatever cuts need them",
        "trees",
        "most = min(most, self._flow(here, there, rank) - needed)",
        "most = min(most, self._flow(here, there, rank))",
        "trees",
    ),
    _broken(
        "a channel counts from the begin on, whenever its begin has left",
        "checker",
        "(link.alpha / (b - a), bandwidth([link]) * (b - a))",
        "(link.alpha / b, bandwidth([link]) * b)",
        "bounds",
    ),
    _broken(
        "a flow over time has no latency",
        "bounds",
        "b_ub=np.append(self._alphas / unit, 1)",
        "b_ub=np.append(0 * self._alphas, 1)",
    ),
    _broken(
        "an item is there when its last part has come, whatever came before it",
        "checker",
        "max(end, there.get(came, 0), sent.get(came, 0))",
        "max(end, sent.get(came, 0))",
    ),
    _broken(
        "a link has one lane",
        "checker",
        "lanes[lanes.index(min(lanes))] = end",
        "lanes[:] = [end] * len(lanes)",
    ),
    _broken(
        "a contribution may come twice",
        "checker",
        "if twice := given & kept:",
        "if twice := given & kept & 0:",
    ),
    _broken(
        "what is lost under a copy is not seen",
        "checker",
        "if lost := kept & ~given:",
        "if lost := kept & ~given & 0:",
    ),
    _broken(
        "an allreduce is bounded as R sends, not R - 1",
        "checker",
        "needed = 2 * (len(parts) - 1)",
        "needed = 2 * len(parts)",
    ),
    _broken(
        "the first cut that is violated is the last",
        "bounds",
        "while inside:",
        "if inside:",
    ),
    _broken(
        "an edge leaves no room for one other tree",
        "trees",
        "max(0, min(spare, tree.weight, self._room[here, there]))",
        "max(0, min(spare + 1, tree.weight, self._room[here, there]))",
    ),
    _broken(
        "each tree prefers the same direction",
        "trees",
        "quota = [few + ((o - turn) % degree < more) for o in range(orbits)]",
        "quota = [few + (o % degree < more) for o in range(orbits)]",
    ),
    _broken(
        "the search for spanning trees ends with the second",
        "spanning",
        "if columns and prices[tree].sum() >= 1 - CLOSE:",
        "if len(columns) > 1:",
    ),
    _broken(
        "a vertex sends up when the first child has come",
        "order",
        "if not up or not lacks[item][here]:",
        "if not up or lacks[item][here] >= 0:",
    ),
    _broken(
        "a reduction keeps the order of the broadcast",
        "schedule",
        "for item, path, _ in sends][::-1]",
        "for item, path, _ in sends]",
        "search",
    ),
    _broken(
        "a step waits for none of its chunk's writers",
        "msccl",
        "before = [wrote[here, item]] if (here, item) in wrote else []",
        "before = []",
    ),
    _broken(
        "a program's step that reduces takes the place",
        "performed",
        "return one[0] if one != NONE else other[0], one[1] | other[1]",
        "return other",
        "msccl",
    ),
    _broken(
        "an algorithm's sends begin with what comes in their own step",
        "msccl_json",
        "given, kept = before.get((address, begin), 0), has.get((address, end), 0)",
        "given, kept = has.get((address, begin), 0), has.get((address, end), 0)",
    ),
    _broken(
        "an algorithm's link lets through as much in any number of rounds",
        "msccl_json",
        "if count > rate * rounds:",
        "if count > rate:",
    ),
    _broken(
        "a trace's reception overwrites what is still to be sent",
        "chakra",
        "*readers.pop(there, ()))",
        ")",
    ),
    _broken(
        "a C program puts in place what is to be combined",
        "c_table",
        "2 if combine else 1",
        "1",
    ),
    _broken(
        "lengths count for pairs of the other direction, too",
        "checker",
        "needed = int(_far(topology, costs, exchange.ranks)[sources, targets].sum())",
        "needed = int(_far(topology, costs, exchange.ranks)[targets, sources].sum())",
        "personal",
    ),
    _broken(
        "lengths let through what lanes do without latency",
        "checker",
        "        (link.alpha, bandwidth([link]) * cost)",
        "        (0 * link.alpha, bandwidth([link]) * cost)",
        "personal",
    ),
    _broken(
        "a share holds no channel for its latency",
        "checker",
        "found.append(others + link.alpha + link.beta * exchange.share)",
        "found.append(others + link.beta * exchange.share)",
        "personal",
    ),
    _broken(
        "a cut counts each target once, not each share",
        "checker",
        "        for share in exchange.shares\n    )\n    at_once",
        "        for share in {share.targets: share for share in exchange.shares}.values()\n"
        "    )\n    at_once",
        "bounds",
    ),
    _broken(
        "a rank may end without what others have for it",
        "checker",
        "for rank in targets:",
        "for rank in set(targets) & set(sources):",
        "personal",
    ),
    _broken(
        "a flow may end at its source",
        "multiflow",
        "np.repeat([1.0, -1.0], self.columns)",
        "np.repeat([1.0, -0.9], self.columns)",
        "personal",
    ),
    _broken(
        "from the root each channel lets one part less through",
        "routing",
        "min(needed, time // slot * link.lanes)",
        "min(needed, max(1, time // slot * link.lanes - 1))",
        "personal",
    ),
    _broken(
        "a channel has room for what one lane takes",
        "routing",
        "rooms = [int(time // slot) * n for",
        "rooms = [int(time // slot) * min(n, 1) for",
        "personal",
    ),
    _broken(
        "in a round paths share channels, though they need not",
        "routing",
        "shares[n][1][0] if fixed else turned[n][1][0]",
        "turned[n][1][0] if fixed else turned[n][1][0]",
        "personal",
    ),
    _broken(
        "what is passed on stays, and goes on again",
        "order",
        "has[way[0]] ^= one * personal",
        "has[way[0]] ^= one * 0",
        "personal",
        "search",
    ),
    _broken(
        "in slots a rank may receive what is not for it at any time",
        "slots",
        "sat.add_bool_or([value.negated(), *had])",
        "sat.add_bool_or([value.negated(), *had, *[value] * (len(targets) == 1)])",
        "personal",
    ),
    _broken(
        "a program's own share is not copied",
        "msccl",
        "blocks.extend([Block(-1, -1, 0, own)] * bool(own))",
        "blocks.extend([Block(-1, -1, 0, own)] * 0)",
    ),
    Mutant(
        "chunks between ranks: a share's name is its number",
        "sim/ranks/chunks.py",
        "return exchange.shares[share].sources[0], exchange.shares[share].targets[0]",
        "return exchange.shares[share].targets[0], exchange.shares[share].sources[0]",
        ("tests/sim/ranks/test_chunks.py",),
    ),
    Mutant(
        "schedules: what goes the other way round a ring is a step old",
        "models/collectives/exact/constructions.py",
        "paths[i - nodes + 1 + step][0], path[0]",
        "paths[i - nodes + step][0], path[0]",
        ("tests/models/collectives/exact/test_constructions.py",),
    ),
    Mutant(
        "in the network: a link changes its tree and stays in the old one",
        "models/collectives/in_network.py",
        "            old[a].discard(b)\n            old[b].discard(a)\n",
        "            old[a].discard(b)\n            old[b].discard(b)\n",
        ("tests/models/collectives/test_in_network.py",),
    ),
    Mutant(
        "replayed chunks: a packet needs the last that came alone",
        "sim/replay/chunks.py",
        "tuple(came[item, path[0]])",
        "tuple(came[item, path[0]][-1:])",
        ("tests/sim/replay/test_chunks.py",),
    ),
)

"""What the words of a host are called, for messages about them."""

from syncfabric.models.messages.host import (
    BINS,
    CONFIG_WINDOW,
    DATA_BASE,
    HISTOGRAM_BASE,
    MASK_BASE,
    METER_BASE,
    METER_WORDS,
    MOST_REGISTERS,
    NODE_BASE,
    NODE_WORDS,
    RESULT_BASE,
    TRAFFIC_BASE,
    TRAFFIC_WORDS,
    WAIT_BASE,
    GlobalWord,
    MeterWord,
    NodeWord,
    TrafficWord,
)

__all__ = ["name_of"]


def name_of(address: int) -> str:
    """Return the name of the word at an address: ``CONTROL``, ``node 3 WAIT 0``, ``no word``."""
    if address in set(GlobalWord):
        return GlobalWord(address).name
    if TRAFFIC_BASE <= address < TRAFFIC_BASE + TRAFFIC_WORDS:
        return _word("TRAFFIC ", address - TRAFFIC_BASE, TrafficWord)
    if CONFIG_WINDOW <= address < 2 * CONFIG_WINDOW:
        return f"config word {address - CONFIG_WINDOW}"
    if address >= NODE_BASE:
        node, word = divmod(address - NODE_BASE, NODE_WORDS)
        for base, name in ((DATA_BASE, "DATA"), (RESULT_BASE, "RESULT"), (WAIT_BASE, "WAIT")):
            if base <= word < base + MOST_REGISTERS:
                return f"node {node} {name} {word - base}"
        return _word(f"node {node} ", word, NodeWord)
    if address >= METER_BASE:
        meter, word = divmod(address - METER_BASE, METER_WORDS)
        if word >= MASK_BASE:
            return f"meter {meter} MASK {word - MASK_BASE}"
        if HISTOGRAM_BASE <= word < HISTOGRAM_BASE + BINS:
            return f"meter {meter} HISTOGRAM {word - HISTOGRAM_BASE}"
        return _word(f"meter {meter} ", word, MeterWord)
    return "no word"


def _word(page: str, word: int, words: type[MeterWord] | type[NodeWord] | type[TrafficWord]) -> str:
    return page + words(word).name if word in set(words) else "no word"

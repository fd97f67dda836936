"""Packets of the nodes' traffic generators: their length, and their payloads."""

__all__ = ["PACKET_FLITS", "WORD", "packet_words"]

PACKET_FLITS = 5
WORD = (1 << 32) - 1


def packet_words(header: int, source: int, created: int, number: int) -> tuple[int, ...]:
    """Return the payloads of a packet, before they are cut to the width of a flit.

    Parameters
    ----------
    header : int
        Word 0, the destination.
    source, created, number : int
        Source node, cycle of creation, and number among the source's packets: words 1 to 3, of 32
        bits; word 4 is their exclusive or.
    """
    created, number = created & WORD, number & WORD
    return header, source, created, number, source ^ created ^ number

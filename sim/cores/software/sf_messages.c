/* Messages between cores, and an inbox for those that come before they are asked for. */

#include "sf_messages.h"

uint32_t sf_signals[64];
uint32_t sf_unfenced;

static uint32_t inbox[SF_INBOX] __attribute__((section(".noinit")));
static uint32_t inbox_end;

static unsigned words_of(uint32_t head)
{
    return head >> SF_WORDS_SHIFT & SYNCFABRIC_RECEIVED_HEAD_WORDS_MASK;
}

static int fits(uint32_t head, unsigned from, unsigned tag)
{
    return words_of(head) && (head >> SF_TAG_SHIFT & SYNCFABRIC_RECEIVED_HEAD_TAG_MASK) == tag
        && (from == SF_ANY || (head & SYNCFABRIC_RECEIVED_HEAD_CORE_MASK) == from);
}

static uint32_t *new_entry(uint32_t head)
{
    uint32_t *entry = inbox + inbox_end;
    if (words_of(head) + 1 > SF_INBOX - inbox_end)
        sf_exit(SF_EXIT_INBOX);
    inbox_end += words_of(head) + 1;
    *entry = head;
    return entry + 1;
}

/* Find the first entry that fits; inbox_end if none does. */
static unsigned find(unsigned from, unsigned tag)
{
    unsigned at = 0;
    while (at < inbox_end && !fits(inbox[at], from, tag))
        at += words_of(inbox[at]) + 1;
    return at;
}

/* Keep what came for others to ask for: the head was taken, the words were not. */
SF_OF_BARRIER(sf_keep) void sf_keep(uint32_t head)
{
    unsigned n = words_of(head);
    if (n) {
        uint32_t *to = new_entry(head);
        while (n--)
            *to++ = SF_WORD(SYNCFABRIC_CORE_RECV_DATA);
    } else {
        sf_signals[head >> SF_TAG_SHIFT & SYNCFABRIC_RECEIVED_HEAD_TAG_MASK]++;
    }
}

SF_OF_BARRIER(sf_take_in) void sf_take_in(void)
{
    if (SF_WORD(SYNCFABRIC_CORE_NET_STATUS) & 1u << SYNCFABRIC_NETWORK_STATUS_WORD_WAITS_SHIFT)
        sf_keep(SF_WORD(SYNCFABRIC_CORE_RECV));
}

/* Wait until all that was sent is taken in at the other end; meanwhile take in what comes. */
SF_OF_BARRIER(sf_settle) void sf_settle(void)
{
    while (SF_WORD(SYNCFABRIC_CORE_NET_STATUS) >> SYNCFABRIC_NETWORK_STATUS_WORD_UNACKNOWLEDGED_SHIFT
           & SYNCFABRIC_NETWORK_STATUS_WORD_UNACKNOWLEDGED_MASK)
        sf_take_in();
    sf_unfenced = 0;
}

/* Send packets of at most MOST_WORDS. A core's own node takes none from itself. */
void sf_send_tagged(unsigned to, unsigned tag, const uint32_t *words, size_t n)
{
    sf_unfenced = 1;
    while (n) {
        unsigned part = n < SYNCFABRIC_MOST_WORDS ? n : SYNCFABRIC_MOST_WORDS;
        uint32_t head = SF_HEAD(to, tag) | part << SF_WORDS_SHIFT;
        n -= part;
        if (to == sf_core()) {
            uint32_t *entry = new_entry(head);
            while (part--)
                *entry++ = *words++;
        } else {
            sf_make_room();
            sf_signal(head);
            while (part--)
                SF_WORD(SYNCFABRIC_CORE_SEND_DATA) = *words++;
        }
    }
}

void sf_send(unsigned to, unsigned tag, const uint32_t *words, size_t n)
{
    if (to >= sf_cores() || tag >= SF_USER_TAGS || !n)
        sf_exit(SF_EXIT_MESSAGE);
    sf_send_tagged(to, tag, words, n);
}

/* Take one packet of exactly n words, from the inbox or from the network. */
static unsigned receive(unsigned from, unsigned tag, uint32_t *words, unsigned n)
{
    unsigned at = find(from, tag);
    uint32_t head;
    if (at < inbox_end) {
        unsigned next = at + words_of(inbox[at]) + 1;
        head = inbox[at];
        if (words_of(head) != n)
            sf_exit(SF_EXIT_LENGTH);
        for (unsigned i = 0; i < n; i++)
            words[i] = inbox[at + 1 + i];
        while (next < inbox_end)
            inbox[at++] = inbox[next++];
        inbox_end = at;
    } else {
        while (!fits(head = SF_WORD(SYNCFABRIC_CORE_RECV), from, tag))
            sf_keep(head);
        if (words_of(head) != n)
            sf_exit(SF_EXIT_LENGTH);
        while (n--)
            *words++ = SF_WORD(SYNCFABRIC_CORE_RECV_DATA);
    }
    return head & SYNCFABRIC_RECEIVED_HEAD_CORE_MASK;
}

unsigned sf_recv(unsigned from, unsigned tag, uint32_t *words, size_t n)
{
    while (n) {
        unsigned part = n < SYNCFABRIC_MOST_WORDS ? n : SYNCFABRIC_MOST_WORDS;
        from = receive(from, tag, words, part);
        words += part;
        n -= part;
    }
    return from;
}

int sf_probe(unsigned from, unsigned tag)
{
    while (SF_WORD(SYNCFABRIC_CORE_NET_STATUS) & 1u << SYNCFABRIC_NETWORK_STATUS_WORD_WAITS_SHIFT)
        sf_keep(SF_WORD(SYNCFABRIC_CORE_RECV));
    return find(from, tag) < inbox_end;
}

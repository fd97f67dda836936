/* Messages between cores, and an inbox for those that come before they are asked for. */

#include "sf_messages.h"
#include "sf_set_up.h"

uint32_t sf_signals[64];
uint32_t sf_offers[SYNCFABRIC_MOST_CORES];
uint32_t sf_unfenced;

__attribute__((weak, section(".noinit.sf_inbox"))) uint32_t sf_inbox[256];
__attribute__((weak)) const uint32_t sf_inbox_words = 256;
static uint32_t inbox_begin, inbox_end; /* the part of the inbox that is in use */
uint32_t sf_values[SF_GROUPS][4];
uint32_t sf_values_kept;

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
    uint32_t *entry;
    if (words_of(head) + 1 > sf_inbox_words - inbox_end) {
        for (unsigned i = inbox_begin; i < inbox_end; i++)
            sf_inbox[i - inbox_begin] = sf_inbox[i];
        inbox_end -= inbox_begin;
        inbox_begin = 0;
    }
    if (words_of(head) + 1 > sf_inbox_words - inbox_end)
        sf_exit(SF_EXIT_INBOX);
    entry = sf_inbox + inbox_end;
    inbox_end += words_of(head) + 1;
    *entry = head;
    return entry + 1;
}

/* Find the first entry that fits; inbox_end if none does. */
static unsigned find(unsigned from, unsigned tag)
{
    unsigned at = inbox_begin;
    while (at < inbox_end && !fits(sf_inbox[at], from, tag))
        at += words_of(sf_inbox[at]) + 1;
    return at;
}

int sf_is_kept(unsigned from, unsigned tag) { return find(from, tag) < inbox_end; }

/* Keep what came for others to ask for: the head was taken, the words were not. */
SF_OF_BARRIER(sf_keep) void sf_keep(uint32_t head)
{
    unsigned n = words_of(head);
    unsigned tag = head >> SF_TAG_SHIFT & SYNCFABRIC_RECEIVED_HEAD_TAG_MASK;
    if (n && tag - SF_USER_TAGS < 2 * SF_GROUPS) {
        unsigned slot = (tag - SF_USER_TAGS) / 2;
        sf_values[slot][sf_values_kept >> 4 * slot & 3] = SF_WORD(SYNCFABRIC_CORE_RECV_DATA);
        sf_values_kept += 1u << 4 * slot;
    } else if (n == 1 && tag == SF_TAG_OFFER) {
        sf_offers[head & SYNCFABRIC_RECEIVED_HEAD_CORE_MASK] = SF_WORD(SYNCFABRIC_CORE_RECV_DATA);
    } else if (SF_BY_MANAGERS && n && tag == SF_TAG_ENDED) {
        sf_end(SF_WORD(SYNCFABRIC_CORE_RECV_DATA));
    } else if (n) {
        uint32_t *to = new_entry(head);
        while (n--)
            *to++ = SF_WORD(SYNCFABRIC_CORE_RECV_DATA);
    } else {
        sf_signals[tag]++;
    }
}

SF_OF_BARRIER(sf_take_in) void sf_take_in(void)
{
    if (SF_WORD(SYNCFABRIC_CORE_NET_STATUS) & 1u << SYNCFABRIC_NETWORK_STATUS_WORD_WAITS_SHIFT)
        sf_keep(SF_WORD(SYNCFABRIC_CORE_RECV));
}

/* Wait until a whole packet, or that many signals, can be sent without a stall. While a core waits
 * it takes in what comes, so that those who send to it get on: no two wait for each other. */
SF_OF_BARRIER(sf_make_room) void sf_make_room(void)
{
    while (!(SF_WORD(SYNCFABRIC_CORE_NET_STATUS) & SF_ROOM))
        sf_take_in();
}

/* Wait until all that was sent is taken in at the other end; meanwhile take in what comes. */
SF_OF_BARRIER(sf_fence) void sf_fence(void)
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
            sf_see_room();
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

/* Take an entry out of the inbox: what is before it moves up, and the first is most often wanted. */
static void remove_entry(unsigned at)
{
    unsigned size = words_of(sf_inbox[at]) + 1;
    for (unsigned i = at; i-- > inbox_begin;)
        sf_inbox[i + size] = sf_inbox[i];
    inbox_begin += size;
    if (inbox_begin == inbox_end)
        inbox_begin = inbox_end = 0;
}

/* Take the next packet that fits, from the inbox or from the network; returns its head. */
static uint32_t receive(unsigned from, unsigned tag, uint32_t *words, unsigned most)
{
    unsigned at = find(from, tag), n;
    uint32_t head;
    if (at < inbox_end) {
        head = sf_inbox[at];
        n = words_of(head);
        if (n > most)
            sf_exit(SF_EXIT_LENGTH);
        for (unsigned i = 0; i < n; i++)
            words[i] = sf_inbox[at + 1 + i];
        remove_entry(at);
    } else {
        while (!fits(head = SF_WORD(SYNCFABRIC_CORE_RECV), from, tag))
            sf_keep(head);
        n = words_of(head);
        if (n > most)
            sf_exit(SF_EXIT_LENGTH);
        while (n--)
            *words++ = SF_WORD(SYNCFABRIC_CORE_RECV_DATA);
    }
    return head;
}

unsigned sf_recv(unsigned from, unsigned tag, uint32_t *words, size_t n)
{
    while (n) {
        unsigned part = n < SYNCFABRIC_MOST_WORDS ? n : SYNCFABRIC_MOST_WORDS;
        uint32_t head = receive(from, tag, words, part);
        if (words_of(head) != part)
            sf_exit(SF_EXIT_LENGTH);
        from = head & SYNCFABRIC_RECEIVED_HEAD_CORE_MASK;
        words += part;
        n -= part;
    }
    return from;
}

unsigned sf_recv_packet(unsigned from, unsigned tag, uint32_t words[SYNCFABRIC_MOST_WORDS],
                        unsigned *n)
{
    uint32_t head = receive(from, tag, words, SYNCFABRIC_MOST_WORDS);
    *n = words_of(head);
    return head & SYNCFABRIC_RECEIVED_HEAD_CORE_MASK;
}

int sf_probe(unsigned from, unsigned tag)
{
    while (SF_WORD(SYNCFABRIC_CORE_NET_STATUS) & 1u << SYNCFABRIC_NETWORK_STATUS_WORD_WAITS_SHIFT)
        sf_keep(SF_WORD(SYNCFABRIC_CORE_RECV));
    return find(from, tag) < inbox_end;
}

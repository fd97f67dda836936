/* Signals and packets, for the library's own files.
 *
 * A signal is a packet of no words: its tag, the code, names a group's slot and the kind of message.
 * Signals that come before they are waited for are counted, so nothing depends on their order. */
#ifndef SF_MESSAGES_H
#define SF_MESSAGES_H

#include "syncfabric.h"

#define SF_INLINE inline __attribute__((always_inline))

/* Functions in which a core spends a software barrier. */
#define SF_OF_BARRIER(name) __attribute__((noinline, section(".text.sf_barrier." #name)))

#define SF_TAG_SHIFT SYNCFABRIC_PACKET_HEAD_TAG_SHIFT
#define SF_WORDS_SHIFT SYNCFABRIC_PACKET_HEAD_WORDS_SHIFT
#define SF_ROOM (1u << SYNCFABRIC_NETWORK_STATUS_WORD_ROOM_SHIFT)

/* Codes: eight of each slot. */
#define SF_CODE(slot, what) ((unsigned)(slot) << 3 | (what))
#define SF_HEAD(to, code) ((uint32_t)(to) | (uint32_t)(code) << SF_TAG_SHIFT)
#define SF_WORD_HEAD(to, tag) (SF_HEAD(to, tag) | 1u << SF_WORDS_SHIFT)
#define SF_UP 6
#define SF_DOWN 7

/* Tags of the library's own packets: those of a slot's reductions, and of the making of groups. */
#define SF_TAG_VALUE(slot) (SF_USER_TAGS + 2u * (slot))
#define SF_TAG_RESULT(slot) (SF_TAG_VALUE(slot) + 1)
#define SF_TAG_VECTOR 48u
#define SF_TAG_ENDED 61u /* a member is through with a group that was broken */
#define SF_TAG_OFFER 62u
#define SF_TAG_CHOICE 63u

extern uint32_t sf_signals[64]; /* that came, and were not waited for yet, by their code */

/* Values of a slot's reduction that came before they were waited for, and how many: four bits a
 * slot. There are as many as children at most: none sends another before it has the result. */
extern uint32_t sf_values[SF_GROUPS][4];
extern uint32_t sf_values_kept;

/* Offers of cores to the leader of their group, which came and were not waited for yet; 0: none. */
extern uint32_t sf_offers[SYNCFABRIC_MOST_CORES];

void sf_end(uint32_t ticket);
void sf_keep(uint32_t head);
void sf_make_room(void);
int sf_is_kept(unsigned from, unsigned tag); /* in the inbox */
void sf_send_tagged(unsigned to, unsigned tag, const uint32_t *words, size_t n);

/* Send a packet of a vector to a core: it is the vector's end that waits for it, so no fence has to. */
void sf_give_words(unsigned to, const uint32_t *words, unsigned n);
/* Take one of just n words from a core, and combine them with what is there, or replace that. */
#define SF_REPLACE 15u
void sf_take_words(unsigned from, uint32_t *restrict to, unsigned n, unsigned op);

/* Send a signal: there is room. */
static inline void sf_signal(uint32_t head) { SF_WORD(SYNCFABRIC_CORE_SEND) = head; }

/* See that a whole packet, or that many signals, can be sent without a stall. */
static inline void sf_see_room(void)
{
    if (!(SF_WORD(SYNCFABRIC_CORE_NET_STATUS) & SF_ROOM))
        SF_SAVING(sf_make_room);
}

/* What was sent before an arrive has come when the barrier ends, as it is in hardware. */
static inline void sf_begin(void)
{
    sf_fence_quickly();
    sf_see_room();
}

/* Take what has come: a signal is counted here, for it is what comes most often in a barrier. */
static inline void sf_keep_quickly(uint32_t head)
{
    if (head & SYNCFABRIC_RECEIVED_HEAD_WORDS_MASK << SF_WORDS_SHIFT) {
        register uint32_t given __asm__("a0") = head;
        __asm__ volatile("jal t0, sf_keep_saving" : "+r"(given) : : "t0", "memory");
    } else {
        sf_signals[head >> SF_TAG_SHIFT]++;
    }
}

static inline void sf_await(unsigned code)
{
    uint32_t head, wanted = code << (SF_TAG_SHIFT - SF_WORDS_SHIFT);
    if (sf_signals[code]) {
        sf_signals[code]--;
        return;
    }
    while ((head = SF_WORD(SYNCFABRIC_CORE_RECV)) >> SF_WORDS_SHIFT != wanted)
        sf_keep_quickly(head);
}

/* Wait for several signals of a code. */
static inline void sf_await_many(unsigned code, uint32_t count)
{
    uint32_t wanted = code << (SF_TAG_SHIFT - SF_WORDS_SHIFT), there = sf_signals[code];
    if (there) {
        uint32_t taken = there < count ? there : count;
        sf_signals[code] = there - taken;
        count -= taken;
    }
    while (count) {
        uint32_t head = SF_WORD(SYNCFABRIC_CORE_RECV);
        if (head >> SF_WORDS_SHIFT == wanted)
            count--;
        else
            sf_keep_quickly(head);
    }
}

/* Wait for a reduction's word, from anyone; none of this tag has been kept. */
static inline uint32_t sf_await_word(unsigned tag)
{
    uint32_t head, wanted = tag << (SF_TAG_SHIFT - SF_WORDS_SHIFT) | 1u;
    while ((head = SF_WORD(SYNCFABRIC_CORE_RECV)) >> SF_WORDS_SHIFT != wanted)
        sf_keep_quickly(head);
    return SF_WORD(SYNCFABRIC_CORE_RECV_DATA);
}

/* Wait for a core's offer. */
static inline uint32_t sf_await_offer(unsigned from)
{
    const uint32_t wanted = SF_TAG_OFFER << (SF_TAG_SHIFT - SF_WORDS_SHIFT) | 1u;
    uint32_t word;
    while (!(word = sf_offers[from])) {
        uint32_t head = SF_WORD(SYNCFABRIC_CORE_RECV);
        if (head >> SF_WORDS_SHIFT == wanted)
            sf_offers[head & SYNCFABRIC_RECEIVED_HEAD_CORE_MASK] =
                SF_WORD(SYNCFABRIC_CORE_RECV_DATA);
        else
            sf_keep_quickly(head);
    }
    sf_offers[from] = 0;
    return word;
}

#endif /* SF_MESSAGES_H */

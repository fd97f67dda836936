/* How a word of the config port is reached; a program may define both itself, before it includes
 * this header. `base` is then what the program gives to syncfabric_set_up. */
#ifndef SYNCFABRIC_CONFIG_WRITE
@ACCESS@
#endif

/* What lets arrivals be accepted, once all is written. */
#ifndef SYNCFABRIC_START
@START@
#endif

/* Reads of a word that is waited for, at most. */
#ifndef SYNCFABRIC_SETUP_POLLS
#define SYNCFABRIC_SETUP_POLLS 100000u
#endif

/* Write all entries of the table, in order, each when the one before is answered, and start.
 * Return 0, or the number of the entry, from 1, whose word was not read in time: a manager refuses
 * the group, or the network is another one. Call it once, after reset. */
static inline int syncfabric_set_up(volatile uint32_t *base)
{
    for (uint32_t i = 0; i < SYNCFABRIC_SETUP_ENTRIES; i++) {
        const syncfabric_setup_entry *entry = &syncfabric_setup_table[i];
        uint32_t polls = SYNCFABRIC_SETUP_POLLS;
        if (entry->kind == SYNCFABRIC_SETUP_WRITE) {
            SYNCFABRIC_CONFIG_WRITE(base, entry->target, entry->address, entry->value);
            continue;
        }
        while ((SYNCFABRIC_CONFIG_READ(base, entry->target, entry->address) & entry->value >> 16)
               != (entry->value & 0xffffu))
            if (polls-- == 0)
                return (int)i + 1;
    }
    SYNCFABRIC_START(base);
    return 0;
}

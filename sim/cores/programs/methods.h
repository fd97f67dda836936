/* Vectors of a group by three methods, of which BY chooses one: in its stream (0), word by word by the
 * barriers of another group of the same members, whose operation is the vector's (1), or over
 * messages (2). Groups are 0 at cores that are no members. */
#ifndef METHODS_H
#define METHODS_H

#include "syncfabric.h"

#ifndef BY
#define BY 0
#endif

typedef struct {
    sf_group *vectors, *words;
} group_pair;

static inline void give_all(group_pair group, void *buffer, size_t words, sf_op op)
{
    uint32_t *word = buffer;
    if (BY == 0)
        sf_allreduce(group.vectors, buffer, words, op);
    else if (BY == 2)
        sf_allreduce_by_messages(group.vectors, buffer, words, op);
    else
        for (size_t i = 0; i < words; i++)
            word[i] = sf_reduce(group.words, word[i]);
}

/* The result is at the member with rank 0. */
static inline void give_first(group_pair group, void *buffer, size_t words, sf_op op)
{
    if (BY == 0)
        sf_reduce_to(group.vectors, 0, buffer, words, op);
    else if (BY == 2)
        sf_reduce_by_messages(group.vectors, 0, buffer, words, op);
    else
        give_all(group, buffer, words, op);
}

/* The vector is that of the member with rank 0; by barriers the operation has to be SF_OR. */
static inline void spread(group_pair group, void *buffer, size_t words)
{
    uint32_t *word = buffer;
    if (BY == 0)
        sf_broadcast(group.vectors, 0, buffer, words);
    else if (BY == 2)
        sf_broadcast_by_messages(group.vectors, 0, buffer, words);
    else
        for (size_t i = 0; i < words; i++)
            word[i] = sf_reduce(group.words, group.words->rank ? 0 : word[i]);
}

#endif

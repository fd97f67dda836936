/* What a compiler calls by itself: by words where both ends are aligned. */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns") /* else these would call themselves */
#endif

typedef uint32_t __attribute__((may_alias)) word;

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if (!(((uintptr_t)to | (uintptr_t)from) % sizeof(word)))
        for (; n >= sizeof(word); n -= sizeof(word)) {
            *(word *)t = *(const word *)f;
            t += sizeof(word);
            f += sizeof(word);
        }
    while (n--)
        *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if (t < f)
        while (n--)
            *t++ = *f++;
    else
        while (n--)
            t[n] = f[n];
    return to;
}

void *memset(void *to, int value, size_t n)
{
    unsigned char *t = to;
    if (!((uintptr_t)to % sizeof(word)))
        for (; n >= sizeof(word); n -= sizeof(word)) {
            *(word *)t = 0x01010101u * (unsigned char)value;
            t += sizeof(word);
        }
    while (n--)
        *t++ = (unsigned char)value;
    return to;
}

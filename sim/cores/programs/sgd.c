/* Training of a linear model by gradients that all cores sum up: each has SAMPLES of its own, and all
 * have the same WEIGHTS after each of STEPS. Numbers are fixed-point, 16 bits below the point, for
 * cores have no floating point.
 *
 * A core checks the weights against those that it works out from all samples, and puts the cycle
 * before and after. Groups of the file, of all: 1, and by barriers 2 for sums. Macro BY: see methods.h. */

#include "methods.h"

#ifndef WEIGHTS
#define WEIGHTS 64
#endif
#ifndef SAMPLES
#define SAMPLES 2
#endif
#ifndef STEPS
#define STEPS 2
#endif

static int32_t weights[WEIGHTS], right[WEIGHTS], gradient[WEIGHTS];

/* A feature of a core's sample: -4 to 3, and what it should give. */
static int32_t feature(unsigned sample, unsigned i) { return (int32_t)(((sample + 1) * (i + 3) * 11 >> 2) % 8) - 4; }
static int32_t wanted(unsigned sample) { return (int32_t)(sample % 5) << 16; }

/* Add a sample's part of the gradient. */
static void add(const int32_t *model, unsigned sample)
{
    int32_t error = -wanted(sample);
    for (unsigned i = 0; i < WEIGHTS; i++)
        error += model[i] * feature(sample, i);
    error >>= 8;
    for (unsigned i = 0; i < WEIGHTS; i++)
        gradient[i] += error * feature(sample, i);
}

static void learn(int32_t *model)
{
    for (unsigned i = 0; i < WEIGHTS; i++)
        model[i] -= gradient[i] >> 5, gradient[i] = 0;
}

int main(void)
{
    group_pair all = {sf_group_of(1), sf_group_of(2)};
    unsigned first = sf_core() * SAMPLES;
    sf_barrier(sf_world());
    sf_put(sf_cycle());
    for (unsigned step = 0; step < STEPS; step++) {
        for (unsigned sample = first; sample < first + SAMPLES; sample++)
            add(weights, sample);
        give_all(all, gradient, WEIGHTS, SF_SUM);
        learn(weights);
    }
    sf_put(sf_cycle());
    for (unsigned step = 0; step < STEPS; step++) {
        for (unsigned sample = 0; sample < sf_cores() * SAMPLES; sample++)
            add(right, sample);
        learn(right);
    }
    for (unsigned i = 0; i < WEIGHTS; i++)
        if (weights[i] != right[i] || (i == 0 && !weights[i]))
            return 1;
    return 0;
}

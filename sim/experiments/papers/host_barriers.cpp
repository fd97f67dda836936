// Time barriers between threads of this host: KIND THREADS ROUNDS prints nanoseconds a barrier.
//
// KIND is pthread (pthread_barrier_wait), centralized (a counter and a sense) or dissemination
// (flags, log2 rounds; Hensgen, Finkel and Manber, International Journal of Parallel Programming
// 17(1), 1988). Threads that wait yield the processor now and then, as there may be fewer of these.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <vector>

static const int MOST = 64, LEVELS = 6;
struct alignas(64) Flag { std::atomic<long> round{0}; };
static int threads;
static long rounds;
static char kind;
static pthread_barrier_t barrier;
static Flag count, sense, flags[MOST][LEVELS];
static double elapsed_ns;

static void await(const std::atomic<long> &flag, long round) {
    for (int tries = 0; flag.load(std::memory_order_acquire) < round; tries++)
        if (tries % 64 == 63) sched_yield();
}

static void wait(int me, long round) {
    if (kind == 'p') {
        pthread_barrier_wait(&barrier);
    } else if (kind == 'c') {
        if (count.round.fetch_add(1, std::memory_order_acq_rel) == threads * round - 1)
            sense.round.store(round, std::memory_order_release);
        else
            await(sense.round, round);
    } else {
        for (int level = 0; 1 << level < threads; level++) {
            flags[(me + (1 << level)) % threads][level].round.store(round, std::memory_order_release);
            await(flags[me][level].round, round);
        }
    }
}

static void *run(void *given) {
    const int me = (int)(long)given;
    const long warm = rounds / 10 + 1;
    long round = 0;
    while (round < warm) wait(me, ++round);
    const auto begin = std::chrono::steady_clock::now();
    while (round < warm + rounds) wait(me, ++round);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    if (me == 0) elapsed_ns = took.count();
    return nullptr;
}

int main(int argc, char **argv) {
    if (argc != 4 || !strchr("pcd", kind = argv[1][0])) return 2;
    threads = atoi(argv[2]), rounds = atol(argv[3]);
    if (threads < 1 || threads > MOST || rounds < 1) return 2;
    pthread_barrier_init(&barrier, nullptr, threads);
    std::vector<pthread_t> others(threads);
    for (long i = 1; i < threads; i++) pthread_create(&others[i], nullptr, run, (void *)i);
    run(nullptr);
    for (int i = 1; i < threads; i++) pthread_join(others[i], nullptr);
    printf("%.1f\n", elapsed_ns / rounds);
    return 0;
}

// Threads that evaluate parts of a network, each always the same part.
//
// They spin between two cycles, and sleep while no cycle comes. Where a thread waits for another for
// so long that its core must be busy with something else, the caller does all alone for some time:
// longer each time, until it goes well for a while.
#pragma once
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class Workers {
  public:
    explicit Workers(int count) : count_(count) {
        for (int part = 1; part < count; ++part) threads_.emplace_back([this, part] { serve(part); });
    }
    ~Workers() {
        act_ = nullptr, begin();
        for (auto& thread : threads_) thread.join();
    }
    Workers(const Workers&) = delete;

    int count() const { return count_; }

    // Whether it is time to do all alone once more.
    bool rests() { return rests_ && rests_--; }

    // Call act(part) for every part, that of 0 in this thread; return when all are done.
    template <class Act> void run(Act& act) {
        context_ = &act;
        act_ = [](void* context, int part) { (*static_cast<Act*>(context))(part); };
        begin();
        act(0);
        meet();
        if (late_.exchange(false, std::memory_order_relaxed)) {
            rests_ = rest_, good_ = 0;
            rest_ = std::min(2 * rest_, MOST_REST);
        } else if (++good_ == GOOD) rest_ = LEAST_REST;
    }

    // Wait within an act until all threads have come so far.
    void meet() {
        uint64_t met = met_.value.fetch_add(1, std::memory_order_acq_rel);
        uint64_t all = (met / count_ + 1) * count_;
        auto done = [&] { return met_.value.load(std::memory_order_acquire) >= all; };
        if (spin(done)) return;
        late_.store(true, std::memory_order_relaxed);
        while (!done()) std::this_thread::yield();
    }

  private:
    static constexpr int SPINS = 2'000, YIELDS = 200;
    static constexpr int LEAST_REST = 16, MOST_REST = 4'096, GOOD = 1'000;  // cycles
    struct alignas(64) Counter {  // in a cache line of its own
        std::atomic<uint64_t> value{0};
    };

    void begin() {
        round_.value.fetch_add(1);
        if (!waiting_.load()) return;
        std::lock_guard<std::mutex> lock(mutex_);
        wake_.notify_all();
    }

    void serve(int part) {
        for (uint64_t round = 1;; ++round) {
            wait([&] { return round_.value.load() >= round; });
            if (!act_) return;
            act_(context_, part);
            meet();
        }
    }

    template <class Done> static bool spin(Done done) {
        for (int i = 0; i < SPINS; ++i) {
            if (done()) return true;
#if defined __x86_64__ || defined __i386__
            __builtin_ia32_pause();
#endif
        }
        return false;
    }

    template <class Done> void wait(Done done) {
        if (spin(done)) return;
        for (int i = 0; i < YIELDS; ++i) {
            if (done()) return;
            std::this_thread::yield();
        }
        std::unique_lock<std::mutex> lock(mutex_);
        ++waiting_;
        wake_.wait(lock, done);
        --waiting_;
    }

    const int count_;
    Counter round_, met_;
    std::atomic<int> waiting_{0};
    std::atomic<bool> late_{false};
    int rests_ = 0, rest_ = LEAST_REST, good_ = 0;
    std::mutex mutex_;
    std::condition_variable wake_;
    void (*act_)(void*, int) = nullptr;
    void* context_ = nullptr;
    std::vector<std::thread> threads_;
};

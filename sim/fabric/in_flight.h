// What every link holds: flits that have been sent, less the credits that have come back.
//
// A link that is flushed holds nothing. Commands:
//   track            count from now on: before the first cycle
//   in_flight        a line a link that holds something: number, flits, messages
#pragma once
#include <cstdint>
#include <iostream>
#include <vector>

template <class Network> class InFlight {
  public:
    void look([[maybe_unused]] const Network& network) {
        if (ends_.empty()) {
            // What is sent, and what comes back to the sender; the local ports are no such links.
            ends_ = network.probed;
            for (const auto& link : network.links)
                ends_[link.number < 0 ? ~link.number : link.number] = link.from;
        }
        for (int i = 0; i < Network::LINKS; ++i) {
            const auto& end = ends_[i];
            if (!end.valid) continue;
            flits_[i] += __builtin_popcount(*end.valid) - __builtin_popcount(*end.credit);
            messages_[i] +=
                __builtin_popcount(*end.sync_valid) - __builtin_popcount(*end.sync_credit);
            if (*end.flush) flits_[i] = 0;
        }
    }

    void print() const {
        for (int i = 0; i < Network::LINKS; ++i)
            if (flits_[i] || messages_[i])
                std::cout << i << ' ' << flits_[i] << ' ' << messages_[i] << '\n';
    }

  private:
    decltype(Network::probed) ends_;
    std::vector<int> flits_ = std::vector<int>(Network::LINKS), messages_ = flits_;
};

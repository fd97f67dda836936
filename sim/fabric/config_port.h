// The config port as software uses it that waits for each answer before it asks again.
//
// Commands:
//   ask TARGET ADDRESS WRITE DATA ...   put requests at the end of the queue
//   answers          a line an answer since the last time: error, data
#pragma once
#include <deque>
#include <iostream>
#include <sstream>
#include <vector>

#include "script.h"

class ConfigPort {
  public:
    bool obey(const std::string& name, std::istringstream& words) {
        if (name == "ask") {
            Stimulus s{0, 0, 0, 0, CONFIG};
            for (uint32_t target, address; words >> target >> address >> s.extra >> s.data;) {
                s.index = target << 12 | address;
                queue_.push_back(s);
            }
        } else if (name == "answers") {
            for (auto& answer : answers_) std::cout << answer.error << ' ' << answer.data << '\n';
            answers_.clear();
        } else return false;
        return true;
    }

    bool is_done() const { return queue_.empty() && !waits_; }

    // Receive the answer, if there is one in this cycle; return whether it was the last one.
    template <class Network, class Active> bool receive(Network& network, const Active& active) {
        if (!waits_) return false;
        Answer answer{0, 0};
        active.each([&](int tile) {
            network.at(tile, [&](auto& t) {
                if (!t.config_ready) return;
                waits_ = false, answer.error |= t.config_error, answer.data |= t.config_rdata;
            });
        });
        if (waits_) return false;
        answers_.push_back(answer);
        return queue_.empty();
    }

    // Issue the next request, if it may be issued: act(stimulus).
    template <class Act> void issue(Act act) {
        if (waits_ || queue_.empty()) return;
        act(queue_.front());
        queue_.pop_front(), waits_ = true;
    }

  private:
    struct Answer {
        uint32_t error, data;
    };

    std::deque<Stimulus> queue_;
    std::vector<Answer> answers_;
    bool waits_ = false;
};

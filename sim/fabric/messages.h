// A network of messages or barrier wires: what its processes and its packets do.
//
// network.h also defines MANAGERS, and with packets HEADERS[node] and REPORT_WORDS. Commands:
//   group GID NODE REGISTER ...   watch a group
//   members SEED JITTER   let the members of the watched groups arrive again and again
//   watch            a line a group: GID, errors, then LATENCY:EPISODES for each latency seen
#pragma once
#include "fabric.h"
#include "referee.h"

template <class Network> class MessageFabric : public Fabric<Network> {
  public:
    MessageFabric() {
        FOR_MANAGERS(int index = 0; for (int node : MANAGERS) {
            network_.nodes[node]->manager = 1;
            network_.nodes[node]->manager_index = index++;
        });
    }

  private:
    using Fabric<Network>::network_, Fabric<Network>::cycle_, Fabric<Network>::acted_;

    bool obey(const std::string& name, std::istringstream& words) override {
        if (name == "group") referee_.add(words);
        else if (name == "members") let_members_arrive(words);
        else if (name == "report") report();
        else if (name == "watch") referee_.print();
        else return false;
        return true;
    }

    void rest() override {
        for (auto& t : network_.nodes) {
            t->start = 0, t->member_load = 0;
            FOR_PACKETS(t->traffic_load = 0, t->put_valid = 0);
            FOR_SPILL(t->spill_arrive_valid = 0);
        }
    }

    void act(const Stimulus& s) override {
        auto& nodes = network_.nodes;
        switch (s.kind) {
        case SPILLED: {
            FOR_SPILL(auto& t = *nodes[s.index & ~(1u << 31)]; t.spill_arrive_valid = 1;
                      t.spill_arrive_gid = s.extra; FOR_DATA(t.spill_arrive_data = s.data);
                      FOR_MANAGERS(t.spill_arrive_last = s.index >> 31));
            break;
        }
        case START:
            for (auto& t : nodes) t->start = 1;
            break;
        default:
            FOR_PACKETS(act_on_packets(s));
        }
    }

    void act_on_packets(const Stimulus& s) {
        auto& nodes = network_.nodes;
        switch (s.kind) {
        case LOAD:
            for (auto& t : nodes) t->traffic_load = 1, t->traffic_seed = s.data;
            break;
        case RATE:
            for (auto& t : nodes) t->traffic_enable = s.extra, t->traffic_rate = s.data;
            break;
        case PACKET:
            nodes[s.index]->put_valid = 1;
            nodes[s.index]->put_flit = static_cast<uint64_t>(s.data) << 6 | s.extra;
            break;
        }
    }

    void pass() override {
        if (!referee_.groups().empty()) watch();
        FOR_PACKETS(for (auto& tile : network_.nodes) tile->cycle = cycle_);
    }

    void watch() {
        for (int i = 0; i < NODES; ++i) {
            auto& t = *network_.nodes[i];
            referee_.see(i, t.arrives, t.released, cycle_);
        }
        referee_.close(cycle_);
    }

    void let_members_arrive(std::istringstream& words) {
        uint32_t seed = 0, jitter = 0;
        words >> seed >> jitter;
        for (auto& t : network_.nodes) {
            clear(t->member), t->member_load = 1, t->member_seed = seed;
            t->member_jitter = jitter, t->member_enable = 1;
        }
        for (auto& group : referee_.groups())
            for (auto& seat : group.seats) set(network_.nodes[seat.node]->member, seat.place);
        acted_ = false;  // keep member_load for the one cycle that is run here
        this->run(1);
        acted_ = true;
    }

    void report() {
        FOR_PACKETS(for (auto& t : network_.nodes) {
            std::string line;
            REPORT_WORDS(t, line);
            std::cout << line << '\n';
        })
    }

    Referee referee_{NODES, REGISTERS};
};

// A network of messages or barrier wires: what its processes and its packets do.
//
// network.h also defines MANAGERS, and with packets HEADERS[node] and REPORT_WORDS. Commands:
//   group GID NODE REGISTER ...   watch a group
//   members SEED JITTER   let the members of the watched groups arrive again and again
//   watch            a line a group: GID, errors, then LATENCY:EPISODES for each latency seen
#pragma once
#include "fabric.h"
#include "members.h"
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
    using Base = Fabric<Network>;
    using Base::network_, Base::cycle_, Base::touch;

    bool obey(const std::string& name, std::istringstream& words) override {
        if (name == "group") referee_.add(words);
        else if (name == "members") let_members_arrive(words);
        else if (name == "report") report();
        else if (name == "watch") referee_.print();
        else return false;
        return true;
    }

    void rest() override {
        for (int tile : this->touched_) {
            if (tile >= NODES) continue;
            auto& t = *network_.nodes[tile];
            t.start = 0;
            FOR_PACKETS(t.traffic_load = 0, t.put_valid = 0);
            FOR_SPILL(t.spill_arrive_valid = 0);
        }
    }

    void act(const Stimulus& s) override {
        auto& nodes = network_.nodes;
        switch (s.kind) {
        case SPILLED: {
            FOR_SPILL(int node = s.index & ~(1u << 31); auto& t = *nodes[node]; touch(node);
                      t.spill_arrive_valid = 1; t.spill_arrive_gid = s.extra;
                      FOR_DATA(t.spill_arrive_data = s.data);
                      FOR_MANAGERS(t.spill_arrive_last = s.index >> 31));
            break;
        }
        case START:
            for (int i = 0; i < NODES; ++i) touch(i), nodes[i]->start = 1;
            break;
        default:
            FOR_PACKETS(act_on_packets(s));
        }
    }

    void act_on_packets(const Stimulus& s) {
        auto& nodes = network_.nodes;
        switch (s.kind) {
        case LOAD:
            for (int i = 0; i < NODES; ++i)
                touch(i), nodes[i]->traffic_load = 1, nodes[i]->traffic_seed = s.data;
            break;
        case RATE:
            this->busy_ = s.extra;  // its generators step in every cycle
            for (int i = 0; i < NODES; ++i)
                touch(i), nodes[i]->traffic_enable = s.extra, nodes[i]->traffic_rate = s.data;
            break;
        case PACKET:
            touch(s.index);
            nodes[s.index]->put_valid = 1;
            nodes[s.index]->put_flit = static_cast<uint64_t>(s.data) << 6 | s.extra;
            break;
        }
    }

    void pass() override {
        for (auto& node : members_) {
            auto& t = *network_.nodes[node.node()];
            node.go_on(t.released, [&](int place, [[maybe_unused]] uint32_t word) {
                touch(node.node()), set(t.arrive, place);
                FOR_DATA(put(t.data, place * DATA_BITS, DATA_BITS, word));
            });
        }
        if (!referee_.groups().empty()) watch();
        FOR_PACKETS(for (int tile : this->awake_->tiles())
                        if (tile < NODES) network_.nodes[tile]->cycle = cycle_;)
    }

    void watch() {
        for (int node : referee_.nodes()) {
            auto& t = *network_.nodes[node];
            referee_.see(node, t.arrive, t.released, cycle_);
        }
        referee_.close(cycle_);
    }

    // Members begin in the cycle after this one.
    void let_members_arrive(std::istringstream& words) {
        uint32_t seed = 0, jitter = 0;
        words >> seed >> jitter;
        this->run(1);
        members_.clear();
        for (int node : referee_.nodes()) {
            members_.emplace_back(node, seed);
            for (int place = 0; place < REGISTERS; ++place)
                if (referee_.has(node, place)) members_.back().add({place, jitter});
        }
    }

    void report() {
        FOR_PACKETS(for (auto& t : network_.nodes) {
            std::string line;
            REPORT_WORDS(t, line);
            std::cout << line << '\n';
        })
    }

    Referee referee_{NODES, REGISTERS};
    std::vector<MembersOfNode> members_;
};

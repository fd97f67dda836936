// A board in simulation: its top, clocked, and the bytes of its UART's lines on a terminal.
//
// Arguments: the descriptor of the terminal, and the cycles of a bit. Ends when standard input
// does. Time between two lines is seen only by the board's own counts, so once a question
// is answered and no byte has come for a while, it goes on at ease.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "Vnetwork_board.h"
#include "verilated.h"

namespace {

constexpr int STEP = 64;           // cycles between two looks at the terminal
constexpr uint64_t HURRY = 20000;  // cycles without a byte after which it goes on at ease
constexpr int EASE = 20;           // milliseconds that a step waits for a byte then

// Bytes to the board: a level of the line in each cycle.
class Sender {
  public:
    explicit Sender(int cycles) : cycles_(cycles) {}

    void take(uint8_t byte) { bytes_.push_back(byte); }
    bool idle() const { return !left_ && bytes_.empty(); }

    bool level() {
        if (!left_ && !bytes_.empty()) {
            frame_ = 1 << 9 | bytes_.front() << 1, left_ = 10 * cycles_;
            bytes_.pop_front();
        }
        if (!left_) return true;
        return frame_ >> (10 - (left_-- + cycles_ - 1) / cycles_) & 1;
    }

  private:
    int cycles_, frame_ = 0, left_ = 0;
    std::deque<uint8_t> bytes_;
};

// Bytes from the board: each bit from the middle of its time. Gives -1 while there is none.
class Receiver {
  public:
    explicit Receiver(int cycles) : cycles_(cycles) {}

    int receive(bool level) {
        if (!at_ && level) return -1;
        const int bit = at_ / cycles_;
        if (at_++ % cycles_ == cycles_ / 2) frame_ = frame_ >> 1 | level << 9;
        if (bit < 9 || at_ % cycles_ <= cycles_ / 2) return -1;
        at_ = 0;
        return frame_ >> 1 & 0xFF;
    }

  private:
    int cycles_, frame_ = 0, at_ = 0;
};

class Board {
  public:
    Board(int terminal, int cycles) : terminal_(terminal), sender_(cycles), receiver_(cycles) {
        top_.rst = 1, top_.rx = 1;
        for (int i = 0; i < 8; ++i) cycle();
        top_.rst = 0;
    }

    // Go on for a step; return whether to go on after it.
    bool step() {
        for (int i = 0; i < STEP; ++i) {
            top_.rx = sender_.level();
            cycle();
            if (const int byte = receiver_.receive(top_.tx); byte >= 0) say(byte);
        }
        quiet_ = sender_.idle() ? quiet_ + STEP : 0;
        return listen(!asked_ && quiet_ > HURRY ? EASE : 0);
    }

    ~Board() { top_.final(); }

  private:
    void cycle() {
        top_.clk = 0, top_.eval();
        top_.clk = 1, top_.eval();
    }

    void say(uint8_t byte) {
        quiet_ = 0, asked_ = asked_ && byte != '\n';
        // What is not read is lost, as on a line.
        if (write(terminal_, &byte, 1) < 0 && errno != EAGAIN) over_ = true;
    }

    bool listen(int milliseconds) {
        pollfd inputs[] = {{terminal_, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
        poll(inputs, 2, milliseconds);
        if (inputs[1].revents) return false;
        uint8_t bytes[256];
        const ssize_t count = inputs[0].revents ? read(terminal_, bytes, sizeof bytes) : 0;
        for (ssize_t i = 0; i < count; ++i) {
            const bool ends = bytes[i] == '\n' || bytes[i] == '\r';
            asked_ = asked_ || (ends && begun_), begun_ = !ends;
            sender_.take(bytes[i]);
        }
        return !over_ && !(count < 0 && errno != EAGAIN && errno != EINTR);
    }

    const int terminal_;
    Vnetwork_board top_;
    Sender sender_;
    Receiver receiver_;
    uint64_t quiet_ = 0;
    bool begun_ = false, asked_ = false, over_ = false;  // a line; its answer; the terminal
};

}  // namespace

int main(int, char** words) {
    const int terminal = std::atoi(words[1]);
    fcntl(terminal, F_SETFL, fcntl(terminal, F_GETFL) | O_NONBLOCK);
    Board board(terminal, std::atoi(words[2]));
    while (board.step()) {}
}

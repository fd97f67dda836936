// Runs of bits: Verilator's vectors, and rows of bits of any length.
//
// Verilator's vectors are integers up to 64 bits and VlWide beyond; the same words for both.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

#include "verilated.h"

template <class T> std::enable_if_t<std::is_integral_v<T>, bool> any(const T& v) { return v != 0; }
template <std::size_t N> bool any(const VlWide<N>& v) {
    for (std::size_t i = 0; i < N; ++i)
        if (v[i]) return true;
    return false;
}
template <class T> std::enable_if_t<std::is_integral_v<T>> clear(T& v) { v = 0; }
template <std::size_t N> void clear(VlWide<N>& v) {
    for (std::size_t i = 0; i < N; ++i) v[i] = 0;
}
template <class T> std::enable_if_t<std::is_integral_v<T>, uint64_t> bit(const T& v, int i) {
    return static_cast<uint64_t>(v) >> i & 1;
}
template <std::size_t N> uint64_t bit(const VlWide<N>& v, int i) { return v[i / 32] >> i % 32 & 1; }
template <class T> std::enable_if_t<std::is_integral_v<T>> set(T& v, int i) { v |= T{1} << i; }
template <std::size_t N> void set(VlWide<N>& v, int i) { v[i / 32] |= 1U << i % 32; }
template <class T> std::enable_if_t<std::is_integral_v<T>> clear_bit(T& v, int i) {
    v &= ~(T{1} << i);
}
template <std::size_t N> void clear_bit(VlWide<N>& v, int i) { v[i / 32] &= ~(1U << i % 32); }
template <class T> uint64_t field(const T& v, int low, int width) {
    uint64_t value = 0;
    for (int i = 0; i < width; ++i) value |= bit(v, low + i) << i;
    return value;
}
template <class T> void put(T& v, int low, int width, uint64_t value) {
    for (int i = 0; i < width; ++i)
        if (value >> i & 1) set(v, low + i);
}
template <class T> std::enable_if_t<std::is_integral_v<T>> hex(std::string& to, const T& v) {
    char text[24];
    std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(v));
    to += text;
}
template <std::size_t N> void hex(std::string& to, const VlWide<N>& v) {
    int top = N - 1;
    while (top > 0 && !v[top]) --top;
    char text[12];
    std::snprintf(text, sizeof text, "%x", v[top]);
    to += text;
    while (top-- > 0) {
        std::snprintf(text, sizeof text, "%08x", v[top]);
        to += text;
    }
}

struct Bits {  // a long row of bits, printed as one hexadecimal number
    std::vector<uint8_t> digits;
    bool used = false;
    explicit Bits(int width) : digits(width / 4 + 1) {}
    void put(int low, uint64_t value) {
        for (; value; value >>= 1, ++low)
            if (value & 1) digits[low / 4] |= 1 << low % 4, used = true;
    }
    void print(std::string& to) {
        std::size_t top = digits.size();
        if (!used) {
            to += '0';
            return;
        }
        while (!digits[top - 1]) --top;
        while (top--) to += "0123456789abcdef"[digits[top]], digits[top] = 0;
        used = false;
    }
};

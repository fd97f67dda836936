// Tables of numbers, read from a file: a line each, its name first.
//
// They are what networks of the same tiles differ in.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

inline int NODES, ROUTERS;
inline std::map<std::string, std::vector<uint64_t>> TABLES;

inline const std::vector<uint64_t>& table(const char* name) { return TABLES.at(name); }

// A number below 0 is kept modulo 2 to the 64, and is itself again in an int.
inline void read_tables(const char* path) {
    std::ifstream file(path);
    for (std::string line, name, word; std::getline(file, line);) {
        std::istringstream words(line);
        words >> name;
        auto& numbers = TABLES[name];
        while (words >> word) numbers.push_back(std::strtoull(word.c_str(), nullptr, 10));
    }
}

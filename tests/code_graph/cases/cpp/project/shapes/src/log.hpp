#pragma once

#include <string>

namespace shapes::log {

void write(const std::string& text);
void write(const std::string& text, int level);

struct Scope {
    Scope() { write("begin"); }
    ~Scope() { close(); }
    void close();
};

}  // namespace shapes::log

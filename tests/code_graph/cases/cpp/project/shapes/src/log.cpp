#include "log.hpp"

#include <iostream>

void shapes::log::write(const std::string& text)
{
    write(text, 0);
}

void shapes::log::write(const std::string& text, int level)
{
    std::cout << level << text;
}

void shapes::log::Scope::close()
{
    write("end");
}

#include <memory>

#include "log.hpp"
#include "shapes/shape.hpp"

using shapes::Circle;

static int finish()
{
    return 0;
}

int main()
{
    shapes::log::Scope scope;
    std::vector<shapes::ShapePtr> all;
    all.push_back(std::make_unique<Circle>(2));
    auto square = new shapes::Square(3);
    square->scaled(2);
    all.emplace_back(square);
    Circle::unit().area();
    auto each = [&](double value) { return shapes::twice(value); };
    each(shapes::total(all));
    return finish();
}

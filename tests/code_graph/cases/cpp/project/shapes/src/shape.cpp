#include "shapes/shape.hpp"

#include "log.hpp"

namespace shapes {

namespace {

constexpr double pi = 3.14;

double square(double value)
{
    return value * value;
}

}  // namespace

Shape::Shape(std::string name) : name_(std::move(name))
{
    log::write(name_);
}

const std::string& Shape::name() const
{
    return name_;
}

void Shape::changed()
{
    log::write(name(), 1);
}

Circle::Circle(double radius) : Shape("circle"), radius_(radius) {}

double Circle::area() const
{
    return pi * square(radius_);
}

void Square::changed()
{
    Shape::changed();
}

double total(const std::vector<ShapePtr>& shapes)
{
    double sum = 0;
    for (const auto& shape : shapes) {
        sum += shape->area();
    }
    return twice(sum);
}

}  // namespace shapes

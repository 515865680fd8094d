#pragma once

#include <memory>
#include <string>
#include <vector>

namespace shapes {

class Shape {
public:
    explicit Shape(std::string name);
    virtual ~Shape() = default;

    virtual double area() const = 0;
    double scaled(double factor) const { return area() * factor; }
    const std::string& name() const;

protected:
    virtual void changed();

private:
    std::string name_;
};

class Circle : public Shape {
public:
    Circle(double radius);
    double area() const override;

    static Circle unit() { return Circle(1); }

private:
    double radius_;
};

class Square final : public Shape {
public:
    explicit Square(double side) : Shape("square"), side_(side) { changed(); }
    double area() const override { return detail(side_); }

protected:
    void changed() override;

private:
    static double detail(double side) { return side * side; }
    double side_;
};

using ShapePtr = std::unique_ptr<Shape>;

template <typename T>
T twice(T value)
{
    return value + value;
}

double total(const std::vector<ShapePtr>& shapes);

}  // namespace shapes

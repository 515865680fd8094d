from __future__ import annotations

from typing import Annotated, Optional, Union


class Cat:
    def meow(self) -> Cat:
        return self


class Dog:
    def bark(self) -> "Dog":
        return self


def optional(cat: Optional[Cat]):
    if cat:
        cat.meow().meow()


def union(pet: Union[Cat, Dog]):
    if isinstance(pet, Dog):
        pet.bark()


def annotated(cat: Annotated[Cat, "kind"], dogs: list[Dog], by_name: dict[str, Cat]):
    cat.meow()
    for dog in dogs:
        dog.bark()
    by_name["a"].meow()
    for name, each in by_name.items():
        each.meow()


def declared() -> "tuple[Cat, Dog]":
    return Cat(), Dog()


def unpack():
    cat, dog = declared()
    cat.meow()
    dog.bark()
    local: Dog = dog
    local.bark()


optional(Cat())
union(Dog())
annotated(Cat(), [Dog()], {"a": Cat()})
unpack()

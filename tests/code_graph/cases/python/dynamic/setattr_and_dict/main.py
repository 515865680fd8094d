class Namespace:
    pass


def greet():
    return 1


def leave():
    return 2


space = Namespace()
space.greet = greet
setattr(space, "leave", leave)
space.greet()
space.leave()
globals()["greet"]()

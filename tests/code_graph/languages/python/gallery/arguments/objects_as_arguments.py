class Lamp:
    def switch(self):
        return True


def press(thing):
    return thing.switch()


press(Lamp())

def print(text):
    return write(text)


def write(text):
    return text


def open(name):
    class Handle:
        def read(self):
            return name

    return Handle()


print("a")
open("b").read()
len([])

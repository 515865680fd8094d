import sys

if sys.version_info >= (3, 0):

    def encode(text):
        return modern(text)
else:

    def encode(text):
        return text


def modern(text):
    return text


class Base:
    if sys.platform != "nowhere":

        def path(self):
            return self.join()

    def join(self):
        return "/"


encode("a")
Base().path()

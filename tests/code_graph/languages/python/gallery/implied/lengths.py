class Box:
    def __len__(self):
        return 1

    def __iter__(self):
        return iter([1])

    def __hash__(self):
        return 1


def measure(box: Box):
    return len(box)


def unpack(box: Box):
    (one,) = box
    return one


def gather(box: Box):
    return list(box)


def count(box: Box):
    return [item for item in box]


def key(box: Box):
    return hash(box)


measure(Box())
unpack(Box())
gather(Box())
count(Box())
key(Box())

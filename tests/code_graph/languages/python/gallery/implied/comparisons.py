class Weight:
    def __init__(self, grams):
        self.grams = grams

    def __eq__(self, other):
        return self.grams == other.grams

    def __lt__(self, other):
        return self.grams < other.grams


def is_same(one: Weight, other: Weight):
    return one == other


def is_more(one: Weight, other: Weight):
    return other < one


is_same(Weight(1), Weight(2))
is_more(Weight(1), Weight(2))

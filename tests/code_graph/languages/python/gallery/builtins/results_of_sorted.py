class Card:
    def __init__(self, rank):
        self.rank = rank

    def show(self):
        return self.rank


for card in sorted([Card(2), Card(1)], key=lambda card: card.rank):
    card.show()

class Row:
    def draw(self, at):
        return at


for at, row in enumerate([Row(), Row()]):
    row.draw(at)

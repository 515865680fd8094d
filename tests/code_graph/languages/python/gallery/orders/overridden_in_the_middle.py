class Top:
    def run(self):
        return self.step()

    def step(self):
        return 1


class Middle(Top):
    def step(self):
        return 2


class Low(Middle):
    def again(self):
        return self.step()


Top().run()
Low().again()
Middle().step()

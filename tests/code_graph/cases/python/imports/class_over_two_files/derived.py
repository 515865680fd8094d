from base import Base


class Derived(Base):
    def start(self):
        super().start()
        return self.finish()

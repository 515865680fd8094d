class Page:
    def turn(self):
        return 1

    def close(self):
        return 2


pages = [Page()]
for page in reversed(pages):
    page.turn()
next(iter(pages)).close()

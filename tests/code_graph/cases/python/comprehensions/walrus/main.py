class Match:
    def group(self):
        return ""


def find(text):
    return Match() if text else None


def loop():
    if found := find("a"):
        found.group()
    while (item := find("")) is not None:
        item.group()


def listed(texts):
    return [hit.group() for text in texts if (hit := find(text))]


loop()
listed(["a"])

class Draft:
    def publish(self):
        return Article()


class Article:
    def archive(self):
        return Archived()


class Archived:
    def delete(self):
        return None


def life():
    text = Draft()
    text = text.publish()
    text = text.archive()
    return text.delete()


life()

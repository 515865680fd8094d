class Route:
    def match(self):
        return 1


class Mount(Route):
    def open(self):
        return 2


class Router:
    def __init__(self, routes: list[Route]):
        self.routes = list(routes)

    def add(self, mount: Mount):
        self.routes.append(mount)

    def find(self):
        return [route.match() for route in self.routes]


router = Router([Route()])
router.add(Mount())
router.find()

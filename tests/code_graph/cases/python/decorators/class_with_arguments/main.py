class Route:
    table = {}

    def __init__(self, path):
        self.path = path

    def __call__(self, view):
        self.add(view)
        return view

    def add(self, view):
        Route.table[self.path] = view


@Route("/home")
def home():
    return render("home")


def render(name):
    return name


def serve(path):
    return Route.table[path]()


home()
serve("/home")

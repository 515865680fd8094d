from web import App, route
import web

app = App()
route("/")
web.start(app)
web.App().serve()

def run(app):
    return app.serve()

import app.settings
from app.plugins.one import Plugin as One
from app.plugins.two import Plugin as Two

plugins = [One(), Two()]
for plugin in plugins:
    plugin.run()
app.settings.load()

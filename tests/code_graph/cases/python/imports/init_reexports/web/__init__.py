from .application import App
from .routing import route as route
from .server import run as start

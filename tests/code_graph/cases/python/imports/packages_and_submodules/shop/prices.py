from . import models
from .cart import Cart


def total(cart: Cart):
    return sum(models.Item.price(item) for item in cart.items)

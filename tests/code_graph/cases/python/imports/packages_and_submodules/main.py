import shop.cart
import shop.models as models
from shop import prices


def buy():
    cart = shop.cart.Cart()
    cart.add(models.Item())
    return prices.total(cart)


buy()

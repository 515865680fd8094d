using Models;
using Models.Extensions;

namespace App
{
    public class Shop { public void Sell(Order order) { order.Paid().Sent(); } }
}

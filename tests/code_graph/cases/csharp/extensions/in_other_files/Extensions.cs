namespace Models.Extensions
{
    public static class OrderExtensions
    {
        public static Models.Order Paid(this Models.Order order) => order;
        public static Models.Order Sent(this Models.Order order) => order.Paid();
    }
}

namespace Shop
{
    partial class Order
    {
        partial void OnAdded(Line line) => Check(line);

        private static void Check(Line line) => line.Price();

        private static decimal Round(decimal value) => value;
    }
}

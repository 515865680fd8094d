namespace Shop;

public partial class Order
{
    public void Add(Line line)
    {
        lines.Add(line);
        OnAdded(line);
    }

    public decimal Total()
    {
        decimal sum = 0;
        foreach (var line in lines)
            sum += line.Price();
        return Round(sum);
    }

    private void Reset() => lines.Clear();
}

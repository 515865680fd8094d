namespace System.Runtime.CompilerServices2 { }

public class Amount { public Amount Add(Amount other) => other; }

public class Line
{
    public Line(Amount price) { Price = price; }
    public Amount Price { get; }
    public void Deconstruct(out Amount price, out int count) { price = Price; count = 1; }
    public Amount Total(Line other)
    {
        var (price, _) = other;
        return price.Add(Price);
    }
}

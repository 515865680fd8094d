namespace Shop;

public class Line
{
    public decimal Price() => 1;
}

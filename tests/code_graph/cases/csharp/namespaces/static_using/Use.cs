using static Measures.Length;
using static Measures.Outer.Inner;
using static Measures.Unit;

public class User
{
    public double Use()
    {
        var point = new Point();
        point.Move();
        Deep();
        return Meters(2) + (int)Inch;
    }
}

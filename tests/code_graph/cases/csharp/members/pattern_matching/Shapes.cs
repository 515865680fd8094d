namespace Match;

public abstract class Shape { }

public class Circle : Shape
{
    public double Radius() => 1;
}

public class Square : Shape
{
    public double Side() => 1;
}

public static class Areas
{
    public static double Of(Shape shape) => shape switch
    {
        Circle circle => circle.Radius() * 3,
        Square square when square.Side() > 0 => Squared(square.Side()),
        _ => 0,
    };

    private static double Squared(double value) => value * value;

    public static double Single(object given)
    {
        if (given is Circle circle)
            return circle.Radius();
        if (given is not Square square)
            return 0;
        return square.Side();
    }

    public static void Cast(object given)
    {
        ((Circle)given).Radius();
        (given as Square)?.Side();
        switch (given)
        {
            case Square found:
                found.Side();
                break;
        }
    }
}

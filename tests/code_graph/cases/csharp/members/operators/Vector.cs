namespace Linear;

public struct Vector
{
    public double X;

    public Vector(double x)
    {
        X = x;
    }

    public static Vector operator +(Vector left, Vector right) => Sum(left, right); // @plus

    public static implicit operator Vector(double value) => new Vector(value); // @cast

    private static Vector Sum(Vector left, Vector right) => new(left.X + right.X);

    public double Length() => X;
}

public class Use
{
    public double Run(Vector one, Vector two)
    {
        var both = one + two;
        return both.Length() + (one + two).Length();
    }
}

namespace Geometry;

public record Point(int X, int Y)
{
    public Point Moved(int by) => this with { X = Shift(X, by) };

    private static int Shift(int value, int by) => value + by;

    public static Point Origin() => new(0, 0);
}

public record Named(string Name, Point At) : Shape(At)
{
    public int Far() => At.Moved(1).X;
}

public abstract record Shape(Point Center)
{
    public Point Middle() => Center.Moved(0);
}

public readonly record struct Size(int Width)
{
    public int Area() => Width;
}

public class Canvas
{
    public int Draw(Named named)
    {
        var (name, at) = named;
        at.Moved(2);
        named.Middle().Moved(1);
        named.Far();
        return new Size(2).Area() + Point.Origin().X;
    }
}

public class Point
{
    static Point() { }

    public Point() : this(0, 0) { } // @none
    public Point(int both) : this(both, both) { } // @both
    public Point(int x, int y) { } // @each
    private Point(string text) { } // @text

    public static Point Parse(string text) => new Point(text);

    public static void Use()
    {
        new Point();
        new Point(1);
        Point target = new(1, 2);
    }
}

namespace Geo;

public static class SquareExtensions
{
    public static Square Scale(this Square square) => square;

    public static void Grow(this Square square) { }
}

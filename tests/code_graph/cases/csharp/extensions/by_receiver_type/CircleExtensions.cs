namespace Geo;

public static class CircleExtensions
{
    public static Circle Scale(this Circle circle)
    {
        circle.Grow();
        return circle;
    }
}

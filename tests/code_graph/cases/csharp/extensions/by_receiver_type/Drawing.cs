namespace Geo;

public class Drawing
{
    public void Run(Circle circle, Square square)
    {
        circle.Scale().Grow();
        square.Scale().Grow();
    }
}

namespace Geo;

public class Circle
{
    public void Grow() { }
}

public class Square
{
}

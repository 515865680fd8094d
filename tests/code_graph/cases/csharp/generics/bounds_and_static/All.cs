using System.Collections.Generic;

public interface IShape { double Area(); }
public class Circle : IShape { public double Area() => 1; }

public static class Shapes<T> where T : IShape
{
    public static double Total(IEnumerable<T> all)
    {
        double sum = 0;
        foreach (var one in all) sum += one.Area();
        return sum;
    }
}

public class User { public double Use(List<Circle> all) => Shapes<Circle>.Total(all); }

namespace Measures
{
    public static class Length
    {
        public static double Meters(double value) => value;
        public class Point { public void Move() { } }
    }

    public class Outer { public static class Inner { public static void Deep() { } } }

    public enum Unit { Inch, Foot }
}

namespace One.Two
{
    public class Box { public void Open() { } public static int Count() => 1; }
}

namespace One.Two.Three { public static class Lid { public static void Close() { } } }

namespace Local { public static class Shelf { public static void Put() { } } }

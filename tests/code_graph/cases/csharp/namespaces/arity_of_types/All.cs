namespace Types
{
    public class Box { public void Plain() { } }
    public class Box<T> { public void One(T value) { } public static void Make() { } }
    public class Box<T, U> { public void Two() { } }

    public class User
    {
        public void Use(Box plain, Box<int> one, Box<int, string> two)
        {
            plain.Plain();
            one.One(1);
            two.Two();
            new Box<string>().One("a");
            Box<int>.Make();
        }
    }
}

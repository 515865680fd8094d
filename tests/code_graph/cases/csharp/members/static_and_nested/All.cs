public class Outer
{
    private static void Help() { }

    public class Inner
    {
        public static void Shared() { Help(); }
        public class Deep { public void Go() { Shared(); Help(); } }
    }

    public void Use()
    {
        Inner.Shared();
        new Inner.Deep().Go();
    }
}

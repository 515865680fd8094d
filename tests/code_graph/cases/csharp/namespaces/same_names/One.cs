namespace First
{
    public class Helper
    {
        public static void Go() { }

        public void Work() { }
    }
}

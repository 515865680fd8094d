namespace Lib
{
    public class Log { public static void Write() { } }

    namespace Lib
    {
        public class Log { public static void Write() { } }
    }

    public class User
    {
        public void Use()
        {
            global::Lib.Log.Write();
            Lib.Log.Write();
            Log.Write();
        }
    }
}

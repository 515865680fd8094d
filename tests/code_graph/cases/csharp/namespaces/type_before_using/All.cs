using Imported;

namespace Home
{
    public class Own { public void Run() { } }

    public class User
    {
        private class Nested { public void Run() { } }

        public void Use()
        {
            new Nested().Run();
            new Own().Run();
            new Foreign().Run();
        }
    }
}

namespace Imported
{
    public class Nested { public void Run() { } }
    public class Own { public void Run() { } }
    public class Foreign { public void Run() { } }
}

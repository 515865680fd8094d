namespace Company
{
    public class Audit
    {
        public void Log() { }
    }

    namespace Billing
    {
        public class Biller
        {
            private readonly Audit audit = new Audit();

            public void Bill()
            {
                audit.Log();
                Clock.Now();
                global::Company.Audit other = new global::Company.Audit();
                other.Log();
            }

            public class Line
            {
                public void Print() => Helper();

                private static void Helper() => Clock.Now();
            }
        }
    }
}

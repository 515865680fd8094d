using H = Second.Helper;
using static First.Helper;

namespace App
{
    public class UseAlias
    {
        public void Run()
        {
            H.Go();
            new H().Work();
            Go();
        }
    }
}

using First;

namespace App
{
    public class UseFirst
    {
        public void Run()
        {
            Helper.Go();
            new Helper().Work();
            Second.Helper.Go();
        }
    }
}

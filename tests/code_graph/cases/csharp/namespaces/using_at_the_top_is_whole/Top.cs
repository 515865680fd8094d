using Tools;

namespace Company.App
{
    public class Program { public void Main() { new Hammer().Global(); } }
}

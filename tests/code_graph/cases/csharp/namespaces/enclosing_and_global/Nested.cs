namespace Company.Billing.Deep;

public class Printer
{
    public void Run()
    {
        new Biller.Line().Print();
        new Audit().Log();
    }
}

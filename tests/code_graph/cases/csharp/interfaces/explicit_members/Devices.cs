namespace Dev;

public interface IPrinter
{
    void Start(); // @printer_start
}

public interface IScanner
{
    void Start(); // @scanner_start
}

public class Combined : IPrinter, IScanner
{
    void IPrinter.Start() // @as_printer
    {
        Warm();
    }

    void IScanner.Start() // @as_scanner
    {
        Light();
    }

    public void Start() // @own
    {
        ((IPrinter)this).Start();
        (this as IScanner).Start();
    }

    private void Warm() { }

    private void Light() { }
}

public class Office
{
    public void Use(IPrinter printer, Combined combined)
    {
        printer.Start();
        combined.Start();
        IScanner scanner = combined;
        scanner.Start();
    }
}

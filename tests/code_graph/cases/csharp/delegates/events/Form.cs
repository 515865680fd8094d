namespace Forms;

public class Form
{
    private readonly Button button = new Button();

    public Form()
    {
        button.Clicked += HandleClick;
        button.Clicked += (sender, args) => Log(args.Count());
    }

    private void HandleClick(object? sender, ClickArgs args) => args.Count();

    private void Log(int count) { }

    public void Close()
    {
        button.Clicked -= HandleClick;
        button.Press();
    }
}

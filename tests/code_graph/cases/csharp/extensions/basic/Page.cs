using Tools.Text;

namespace Site;

public class Page
{
    private readonly string title = "";

    public string Head()
    {
        if (title.IsBlank())
            return Default().Shorten(3);
        return TextExtensions.Shorten(title, 5);
    }

    private static string Default() => "untitled";
}

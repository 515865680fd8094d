namespace Site.Pages;

using Parts;
using static Helpers.Html;
using Menu = Parts.Deep.Menu;

public class Page
{
    public void Draw()
    {
        new Header().Draw();
        Escape("x");
        new Menu().Open();
    }
}

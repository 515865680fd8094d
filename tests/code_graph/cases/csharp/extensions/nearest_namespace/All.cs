namespace App
{
    using Near;

    public class Item { }

    public class User { public void Use(Item item) { item.Show(); } }
}

namespace Near { public static class Extensions { public static void Show(this App.Item item) { } } }

namespace App { public static class Extensions { public static void Hide(this Item item) { } } }

namespace Far { public static class Extensions { public static void Show(this App.Item item) { } } }

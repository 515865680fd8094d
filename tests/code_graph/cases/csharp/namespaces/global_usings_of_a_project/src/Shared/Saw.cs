namespace Shared.Tools { public class Saw { public void Cut() { } } }

namespace Shared { public static class Texts { public static string Trim(string text) => text; } }

namespace Shared.Kits { public class Kit { public void Unpack() { } } }

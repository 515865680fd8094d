namespace Tools.Text;

public static class TextExtensions
{
    public static string Shorten(this string text, int length) => text.Cut(length).Trim();

    public static string Cut(this string text, int length) => text.Substring(0, length);

    public static bool IsBlank(this string? text) => string.IsNullOrWhiteSpace(text);
}

namespace Validation.Internal
{
    public class Chain { public void Link() { } }

    public static class Extensions { public static void Extended(this Validator validator) { } }
}

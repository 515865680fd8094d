namespace Validation.Rules.Deep
{
    public static class Pattern { public static void Match() { } }
}

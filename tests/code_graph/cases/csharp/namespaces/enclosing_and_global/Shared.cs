namespace Company.Shared;

public static class Clock
{
    public static int Now() => 1;
}

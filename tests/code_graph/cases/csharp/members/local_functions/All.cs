public class Tree
{
    public int Count()
    {
        int Walk(int depth)
        {
            if (depth > 3) return Leaf();
            return Walk(depth + 1);
        }
        static int Leaf() => Helper();
        return Walk(0);
    }

    private static int Helper() => 1;
}

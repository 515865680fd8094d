public abstract class Node { public abstract int Cost(); }
public class Leaf : Node { public override int Cost() => 1; public void Fall() { } }
public class Branch : Node { public Node Left; public override int Cost() => Left.Cost() + 1; }

public class Walker
{
    public int Walk(Node node)
    {
        if (node is Leaf leaf) leaf.Fall();
        return node switch
        {
            Branch { Left: Leaf inner } => inner.Cost(),
            Branch branch => Walk(branch.Left),
            _ => Skip(),
        };
    }

    private static int Skip() => 0;
}

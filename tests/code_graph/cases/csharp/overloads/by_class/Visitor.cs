namespace Ast;

public abstract class Node { }

public class Add : Node { }

public class Literal : Node { }

public class Printer
{
    public void Print(Add node) // @add
    {
        Print((Node)node);
    }

    public void Print(Literal node) // @literal
    {
    }

    public void Print(Node node) // @node
    {
    }

    public void All(Add add, Literal literal, Node other)
    {
        Print(add);
        Print(literal);
        Print(other);
        Print(new Literal());
    }

    public void One(Literal literal) => Print(literal);
}

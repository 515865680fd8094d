namespace Store;

public class Entity
{
    public void Touch() { }
}

public class Customer : Entity
{
    public void Rename() { }
}

using System.Collections.Generic;

namespace Data;

public class User : IEntity
{
    public int Key() => 1;

    public void Greet() { }
}

public class Users
{
    private readonly List<User> all = new List<User>();

    public void Run()
    {
        new User().Saved().Greet();
        all.Each(user => user.Greet());
    }
}

public class Repository<T> where T : Entity, new()
{
    protected T Find(int id) { var found = new T(); found.Touch(); return found; }
    public void Save(T entity) { entity.Touch(); }
}

public class Entity { public void Touch() { } }
public class User : Entity { public void Rename(string name) { } }

public class Users : Repository<User>
{
    public void Rename(int id) { var user = Find(id); user.Rename("a"); Save(user); }
}

using Far = One.Two;
using Near = Local;

namespace Users
{
    using Inside = Inner.Parts;

    public class User
    {
        public void Use()
        {
            new Far.Box().Open();
            Far.Three.Lid.Close();
            new Inside.Part().Turn();
            Near.Shelf.Put();
            Far::Box.Count();
        }
    }
}

namespace Users.Inner.Parts { public class Part { public void Turn() { } } }

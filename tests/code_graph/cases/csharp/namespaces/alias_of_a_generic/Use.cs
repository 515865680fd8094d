using Rows = Data.Table<Data.Row>;

namespace Users
{
    public class User
    {
        public void Use(Rows rows)
        {
            rows.First().Read();
            new Rows().Clear();
        }
    }
}

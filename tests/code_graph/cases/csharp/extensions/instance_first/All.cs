public class Door { public void Open() { } public void Close(int speed) { } }

public static class DoorExtensions
{
    public static void Open(this Door door) { }
    public static void Close(this Door door) { } // @plain
    public static void Close(this Door door, string how, int speed) { } // @how
}

public class User
{
    public void Use(Door door)
    {
        door.Open();
        door.Close();
        door.Close(1);
        door.Close("slowly", 1);
        DoorExtensions.Open(door);
    }
}

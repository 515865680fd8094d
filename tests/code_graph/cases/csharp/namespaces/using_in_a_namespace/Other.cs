namespace Internal
{
    public class Chain { public void Link() { } }
}

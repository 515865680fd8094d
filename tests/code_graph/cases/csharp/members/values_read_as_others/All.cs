namespace Store
{
    public ref partial struct Writer
    {
        public unsafe void Run(float value, string name)
        {
            Write(*(int*)&value, name);
            Put(value);
        }
        private void Write(int bits, string name) { }
        public void Put(float value) { }
    }

    public class User
    {
        public void Go() { var writer = new Writer(); writer.Put(1); }
    }
}

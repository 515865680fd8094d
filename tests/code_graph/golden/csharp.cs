extern alias Legacy;
global using System.Linq;
using System;
using static System.Math;
using Pairs = System.Collections.Generic.Dictionary<string, int>;
[assembly: Version("1.0")]

namespace Shop.Orders
{
    /// <summary>
    /// What is sold, see <see cref="T:Shop.Store"/> &amp; more.
    /// </summary>
    /// <typeparam name="T">the kind</typeparam>
    [Serializable, Table("orders")]
    [Obsolete("use another")]
    public abstract partial class Order<T> : Base<T>, Shop.IOrder, IDisposable where T : class, new()
    {
        public const int Limit = 10, Least = 1;
        private static readonly List<Item> items = new List<Item>();
        internal volatile int count;
        public event EventHandler<Item> Added;
        public event EventHandler Removed { add { count++; } remove { } }
        [Inject] protected internal IStore Store { get; private set; } = new Store();
        public int Total => items.Sum(item => item.Price);
        public required string Name { get; init; }

        static Order() { }

        /** Makes one. */
        public Order(int id, string name = "x") : base(id)
        {
            Name = name;
            this.count = Limit;
        }

        ~Order() { Dispose(); }

        public Item this[int index] { get { return items[index]; } }
        public static Order<T> operator +(Order<T> left, Item right) => left;
        public static implicit operator int(Order<T> order) => order.count;

        /// <summary>Adds <paramref name="item"/>.</summary>
        /// <param name="item">what is added</param>
        public virtual async Task<bool> AddAsync<U>(Item item, params U[] others) where U : struct
        {
            if (item is Special special && Validate(special))
            {
                int Local(int x) => x + Limit;
                await Store.SaveAsync<Item>(item, Local(1));
            }
            foreach (var other in others) { Added?.Invoke(this, item); }
            return nameof(Added) != null && new Shop.Checker<T>(item).Check();
        }

        void IDisposable.Dispose() => base.Close();
        public abstract override string ToString();
        public static extern int Native(ref int a);
        unsafe partial void OnChanged();

        public delegate void Changed(Item item);

        public enum State : byte
        {
            None = 0,
            /// <summary>Open.</summary>
            Open,
        }

        public event Action Opened, @event;
        int IOrder.this[int x] => 1;
        public static bool operator true(Order<T> order) => true;
        [A] [B("x")] public static void Loop(int? x = null, params int[] rest) { void Inner() { } }

        private protected interface IInner<in TIn> { int Get(); string Label { get; set; } }
        public readonly record struct Point(int X, int Y);
        public sealed record Person(string First, string Last) : Being(First);
        public struct Pair { public int A; }
    }

#if NET
    public class Modern : Order<int>
    {
        public void OnlyModern() { }
    }
#endif

    static class Extensions
    {
        public static int Twice(this int value) => value * 2;
    }
}

namespace Shop.Later;

class Primary(int seed) : Order<string>(seed);

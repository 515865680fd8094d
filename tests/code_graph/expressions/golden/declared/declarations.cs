global using System.Linq;
using System;
using static App.Tools;
using Pairs = System.Collections.Generic.Dictionary<string, int>;
extern alias Old;

namespace App.Shop;

[Serializable, Described(typeof(Cart), Text = "cart")]
public partial class Cart<T>(int limit, Log log) : Store<T>(limit), IStore, global::App.IOpen where T : Item, IPriced, new()
{
    private readonly List<Item?> _items = new(), _gone;
    private const int Most = 3;
    public static int Count { get; private set; } = Most;
    string IStore.Name => this.Title;
    public Item this[int at] { get => _items[at]; set { _items[at] = value; } }
    public event Changed? Done, Undone;
    event Changed Late { add { Done += value; } remove => Done -= value; }

    public Cart(Log first) : this(first.Limit) => log = first;
    static Cart() { base.Reset(); }
    ~Cart() { Close(); }

    public static R Add<R>(this Cart<R> self, in R item, string name = "a", params int[] counts) where R : class => self.Put(item);
    void IStore.Close() { }
    public static Cart<T> operator +(Cart<T> left, T right) => left;
    public static implicit operator int(Cart<T> cart) => cart.Total;
    public delegate void Changed<in A>(A from, (int Old, string New) what);
    unsafe void Low(delegate*<int, Item> make, int* at) { }
    class @in { }
}
record Point(int X, [property: Named] int Y = 0) : Shape(X), IPlace;
readonly struct Size { public readonly int Width; }
interface IStore { string Name { get; } void Close(); }
enum Kind : byte { [Old] First, Second = First << 1 }

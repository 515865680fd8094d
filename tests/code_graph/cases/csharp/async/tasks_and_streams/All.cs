using System.Collections.Generic;
using System.Threading.Tasks;

public class Row { public void Print() { } }

public class Source
{
    public async Task<Row> One() { await Task.Yield(); return new Row(); }
    public async IAsyncEnumerable<Row> All() { yield return await One(); }

    public async Task Use()
    {
        (await One()).Print();
        await foreach (var row in All()) row.Print();
        var task = One();
        task.Result.Print();
    }
}

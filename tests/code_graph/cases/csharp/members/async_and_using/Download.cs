using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Net;

public sealed class Connection : IDisposable
{
    public async Task<Body> GetAsync(string path)
    {
        await Task.Yield();
        return new Body();
    }

    public async IAsyncEnumerable<Body> StreamAsync()
    {
        yield return await GetAsync("a");
    }

    public void Dispose() => Close();

    private void Close() { }
}

public class Body
{
    public string Text() => "";
}

public class Download
{
    public async Task<string> RunAsync()
    {
        using var connection = new Connection();
        var body = await connection.GetAsync("x");
        await foreach (var part in connection.StreamAsync())
            part.Text();
        using (var other = Open())
            (await other.GetAsync("y").ConfigureAwait(false)).Text();
        return body.Text();
    }

    private static Connection Open() => new();
}

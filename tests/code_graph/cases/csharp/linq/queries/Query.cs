using System.Collections.Generic;
using System.Linq;

namespace Music;

public class Track
{
    public int Length() => 1;

    public Album Album() => new Album();
}

public class Album
{
    public string Title() => "";
}

public class Player
{
    public IEnumerable<string> Long(IEnumerable<Track> tracks)
    {
        return from track in tracks
               where track.Length() > Limit()
               let album = track.Album()
               orderby album.Title()
               select Format(album.Title());
    }

    private static int Limit() => 3;

    private static string Format(string text) => text;
}

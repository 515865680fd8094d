public partial class Job
{
    partial void OnStart(int id);
    public void Start() { OnStart(1); Prepare(); Finish(); }
}

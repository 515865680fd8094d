public partial class Job { private void Prepare() { Finish(); } }

public partial class Job { private void Finish() { Prepare(); } }

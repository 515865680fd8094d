using System;

public delegate int Measure(string text);

public class Source
{
    public event EventHandler Changed;
    public Measure Measure;

    private void OnChanged(object sender, EventArgs e) { Log(); }
    private void Log() { }

    public void Use()
    {
        Changed += OnChanged;
        Changed += (sender, e) => Log();
        Measure = text => { Log(); return text.Length; };
    }
}

using System;

public class Cat { public void Meow() { } }
public class Dog { public void Bark() { } }

public class Zoo
{
    public void With(Action<Cat> action) { } // @cat
    public void With(Action<Dog> action) { } // @dog

    public void Use()
    {
        With(cat => cat.Meow());
        With(dog => { dog.Bark(); });
    }
}

package overloads.most_specific_class;

class Animal { }
class Dog extends Animal { }
class Puppy extends Dog { }
class Main {
  void pet(Animal a) { } // @pet_animal
  void pet(Dog d) { } // @pet_dog
  void puppy() { pet(new Puppy()); }
  void animal(Animal a) { pet(a); }
  void cast(Animal a) { pet((Dog) a); }
  void nothing() { pet(null); }
}

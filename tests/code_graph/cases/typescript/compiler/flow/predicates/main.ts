class Cat {
  meow() {
    return 1
  }
}

class Dog {
  bark() {
    return 1
  }
}

function $isCat(pet: unknown): pet is Cat {
  return pet instanceof Cat
}

function looksLikeDog(pet: Cat | Dog): pet is Dog {
  return !$isCat(pet)
}

export function run(pet: Cat | Dog, pets: (Cat | Dog)[]) {
  if ($isCat(pet)) pet.meow()
  else pet.bark()
  if (looksLikeDog(pet)) pet.bark()
  if (!looksLikeDog(pet)) return pet.meow()
  pets.find($isCat)?.meow()
  pets.filter(looksLikeDog).forEach((each) => each.bark())
  return $isCat(pets[0]) ? pets[0].meow() : pet.bark()
}

package store

type Index[K comparable] struct {
	keys map[K]int
}

func NewIndex[K comparable]() Index[K] {
	return Index[K]{keys: map[K]int{}}
}

func (x *Index[K]) Add(key K) { x.keys[key] = x.count(key) + 1 }

func (x *Index[K]) count(key K) int { return x.keys[key] }

package store

import "sync"

type Store struct {
	mu    sync.Mutex
	items map[string]*Item
	index Index[string]
}

func New() *Store {
	s := &Store{items: map[string]*Item{}}
	s.reset()
	return s
}

func (s *Store) reset() { s.index = NewIndex[string]() }

func (s *Store) Find(name string) *Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index.Add(name)
	return s.items[name]
}

func (s *Store) Each(visit func(*Item)) {
	for _, item := range s.items {
		visit(item)
	}
}

func (s *Store) Len() int { return len(s.items) }

func (s *Store) Close() { s.reset() }

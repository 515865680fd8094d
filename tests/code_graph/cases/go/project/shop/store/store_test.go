package store

import "testing"

func TestFind(t *testing.T) {
	s := New()
	if s.Find("a") != nil {
		t.Fatal("found")
	}
	helper(t, s)
}

func helper(t *testing.T, s *Store) {
	t.Helper()
	s.Len()
}

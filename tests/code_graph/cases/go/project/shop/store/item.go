package store

type Item struct {
	price int
	stamp
}

type stamp struct{ count int }

func (i Item) Price() int { return i.price }

func (s *stamp) Touch() { s.bump(1) }

func (s *stamp) bump(by int) { s.count += by }

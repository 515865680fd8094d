package shop

import (
	"fmt"
	. "example.com/dot"
	_ "example.com/only"
	old "example.com/older"
	"example.com/units/v2"
)

type Cart[T any, K fmt.Stringer] struct {
	A, B  int `json:"a"`
	*Item
	old.Store[T]
	parts map[K][]*T
	make  func(a, b int, names ...string) (n int, err error)
	done  chan<- struct{ at int }
}
type Shop interface {
	Open(name string, _ int) (*Cart[int, Name], error)
	Closer
	~int | string
}
type Alias = Cart[int, Name]
type Handler func(Shop) bool
type Name string

var first, second Shop = New(), nil
var both, err = pair()

const (
	Low Kind = iota
	High
)

func (c *Cart[T, K]) Add(item T, rest ...K) (n int, err error) {
	made := &old.Store[T]{A: 1, Inner: {Name: "b"}, Items: []Item{{Name: "c"}, *item}}
	all := map[string]Item{"a": {Name: "d"}, key: other}
	if one, ok := all["a"]; ok && one.Ready() {
		one.Sell()
	} else if it, ok := any(item).(*Item); ok {
		it.Sell()
	}
	for at, one := range made.Items {
		one.Sell(at)
	}
	for key := range all {
		use(key)
	}
	for i := 0; i < len(all); i++ {
		c.parts[key][i].Sell()
	}
	switch kind := x.(type) {
	case *Item:
		kind.Sell()
	case Name, nil:
		use(kind)
	}
	switch got := c.Get(); {
	case got > 3:
		fallthrough
	default:
		use(got)
	}
	select {
	case in, ok := <-c.done:
		use(in, ok)
	case c.done <- made:
	}
	go func(s Shop) { s.Open("a", 1) }(first)
	defer c.Close()
	c.A, n = n, c.B
	c.B += 2
	c.A++
	list := append([]Item(nil), made.Items[1:]...)
	more, fresh := make([]*Item, 3), new(Item)
	last, other := pair()
	value := Map[int, Name](list, func(i Item) Name { return i.Name })
	use(more, fresh, last, other, value, Name("a"), list[0].Next.Name)
	*c.Ptr = -n
	type local struct{ at int }
	var l local
	return l.at, nil
}

func New[T Shop](from T, _ int) T { return from }

// Package shop sells things.
package shop

import (
	"fmt"
	. "os"
	web "net/http"
	"example.com/units/v2"
)

// Order is what is sold.
// It has two lines of words.
type Order[K comparable] struct {
	A, B int `json:"a"`
	// Name is shown.
	Name string
	units.Unit
	*Base
	call func(a int) error
}

/* Seller sells
 * and says so.
 */
type Seller interface {
	// Sell sells.
	Sell(order *Order[int], count int) (int, error)
	fmt.Stringer
	~int | ~string
}

type (
	Alias  = Order[int]
	Größe  float64
	Lookup map[string]Größe
)

const (
	// First is the first.
	First = iota
	second
)

const Limit, bound int = 10, 20

var counter, total = start(), units.Parse[int]("1")

//go:noinline
func (o *Order[K]) Total(a, b int, rest ...string) (sum int, err error) {
	local := Order[K]{A: 1}
	var hidden int
	go func() { local.call(hidden) }()
	return units.Add(a, b).Round(
		2), nil
}

func Make[T any](value T) *T {
	type inner struct{ value T }
	if check(value) {
		type deeper int
	}
	return &value
}

func (e Elsewhere) Away() {}
func external(int, string) web.Handler

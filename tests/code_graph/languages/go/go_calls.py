"""Calls of Go by chapters of its specification: `//= x` marks a declaration, `//> x` its call."""

_HEAD = "package app\n\n"
# packages that the cases may import
BESIDE = {
    "geo/geo.go": """package geo

type Point struct{ X int }

func New() Point { return Point{} }

func (p Point) Far() bool { return p.X > 1 }
""",
    "go-text/text.go": """package text

func Clean(s string) string { return s }
""",
    "v2/api.go": """package api

func Open() int { return 1 }
""",
    "system_windows.go": _HEAD + "func system() int { return 2 }\n",
    "system_linux.go": _HEAD + "func system() int { return 1 }\n",
    "other.go": _HEAD + 'type Beside struct{}\n\nfunc (b Beside) Name() string { return "" }\n',
}
_BODIES = {
    "functions: one of the file": """
func f() int { return 1 } //= f
func run() int { return f() } //> f
""",
    "functions: one below": """
func run() int { return f() } //> f
func f() int { return 1 } //= f
""",
    "functions: several results": """
type A struct{}
func (a A) F() int { return 1 } //= F
func make2() (A, error) { return A{}, nil } //= make2
func run() int {
	a, _ := make2() //> make2
	return a.F() //> F
}
""",
    "functions: results with names": """
type A struct{}
func (a A) F() int { return 1 } //= F
func make2() (a A, err error) { return } //= make2
func run() int {
	a, err := make2() //> make2
	_ = err
	return a.F() //> F
}
""",
    "functions: a variable that holds one": """
func f() int { return 1 } //= f
func run() int {
	g := f
	return g() //> f
}
""",
    "functions: one that is given": """
type A struct{}
func (a A) F() int { return 1 } //= F
func each(of func(a A)) { of(A{}) } //= each
func run() { each(func(a A) { a.F() }) } //> each F
""",
    "functions: one that is called at once": """
func f() int { return 1 } //= f
func run() int { return func() int { return f() }() } //> f
""",
    "functions: go and defer": """
func f() {} //= f
func run() {
	go f() //> f
	defer f() //> f
}
""",
    "functions: variadic": """
func f(rows ...int) int { return len(rows) } //= f
func run() int { return f(1, 2) + f([]int{}...) } //> f f
""",
    "names: a variable is seen below its declaration": """
func f() int { return 1 } //= f
func run() int {
	f := f() //> f
	return f
}
""",
    "names: a variable of a block ends with it": """
func f() int { return 1 } //= f
func run() int {
	{
		f := 2
		_ = f
	}
	return f() //> f
}
""",
    "names: a variable of a condition": """
type A struct{ next *A }
func (a *A) F() *A { return a.next } //= F
func run(a *A) {
	if a := a.F(); a != nil { //> F
		a.F() //> F
	}
}
""",
    "names: a receiver of a field's name": """
type A struct{ size int }
func (a A) Size() int { return a.size } //= Size
func run(a A) int { return a.Size() } //> Size
""",
    "names: a parameter hides a function": """
func f() int { return 1 }
func run(f func() int) int {
	return f() //> none
}
""",
    "methods: of a value and a pointer": """
type A struct{}
func (a A) F() int { return 1 } //= F
func (a *A) G() int { return 1 } //= G
func run(a A, b *A) int { return a.F() + a.G() + b.F() + b.G() } //> F G F G
""",
    "methods: of a type in another file": """
func run(b Beside) string {
	return b.Name() //> other.Name
}
func here(b Beside) string { return b.Here() } //> Here
func (b Beside) Here() string { return "" } //= Here
""",
    "methods: a method value": """
type A struct{}
func (a A) F() int { return 1 } //= F
func run(a A) int {
	f := a.F
	return f() //> F
}
""",
    "methods: a method expression": """
type A struct{}
func (a A) F() int { return 1 } //= F
func run(a A) int { return A.F(a) } //> F
""",
    "methods: of a defined type": """
type Names []string
func (n Names) First() string { return n[0] } //= First
func run(n Names) string { return n.First() + Names([]string{}).First() } //> First First
""",
    "methods: of a defined function": """
type Do func() int
func (d Do) Run() int { return d() } //= Run
func run() int { return Do(func() int { return 1 }).Run() } //> Run
""",
    "methods: of the result of a call": """
type A struct{}
func (a *A) F() *A { return a } //= F
func run(a *A) { a.F().F().F() } //> F F F
""",
    "methods: of an element": """
type A struct{}
func (a A) F() int { return 1 } //= F
func run(rows []A, by map[string]A) int {
	return rows[0].F() + by["a"].F() //> F F
}
""",
    "methods: of a literal": """
type A struct{ x int }
func (a A) F() int { return a.x } //= F
func run() int { return A{x: 1}.F() + (&A{}).F() } //> F F
""",
    "fields: a field's method": """
type A struct{}
func (a A) F() int { return 1 } //= F
type B struct{ a A }
func run(b B) int { return b.a.F() } //> F
""",
    "fields: one that holds a function": """
type A struct{ f func() int }
func run(a A) int {
	return a.f() //> none
}
""",
    "embedding: a promoted method": """
type A struct{}
func (a A) F() int { return 1 } //= F
type B struct{ A }
func run(b B) int { return b.F() + b.A.F() } //> F F
""",
    "embedding: a pointer": """
type A struct{}
func (a *A) F() int { return 1 } //= F
type B struct{ *A }
func run(b B) int { return b.F() } //> F
""",
    "embedding: the outer method hides the inner one": """
type A struct{}
func (a A) F() int { return 1 }
type B struct{ A }
func (b B) F() int { return 2 } //= F
func run(b B) int { return b.F() } //> F
""",
    "embedding: two levels": """
type A struct{}
func (a A) F() int { return 1 } //= F
type B struct{ A }
type C struct{ B }
func run(c C) int { return c.F() } //> F
""",
    "embedding: an interface in a struct": """
type T interface{ F() int } //= F
type B struct{ T }
func run(b B) int { return b.F() } //> F
""",
    "interfaces: a method": """
type T interface {
	F() int //= F
}
func run(t T) int { return t.F() } //> F
""",
    "interfaces: one in another": """
type T interface {
	F() int //= F
}
type U interface {
	T
	G() int //= G
}
func run(u U) int { return u.F() + u.G() } //> F G
""",
    "interfaces: an alias of one without a name": """
type T = interface {
	F() int //= F
}
func run(x interface{}) int {
	if t, ok := x.(T); ok {
		return t.F() //> F
	}
	return 0
}
""",
    "assertions: to a type": """
type A struct{}
func (a A) F() int { return 1 } //= F
func run(x interface{}) int { return x.(A).F() } //> F
""",
    "assertions: with ok": """
type A struct{}
func (a *A) F() int { return 1 } //= F
func run(x interface{}) int {
	if a, ok := x.(*A); ok {
		return a.F() //> F
	}
	return 0
}
""",
    "assertions: a type switch": """
type A struct{}
func (a A) F() int { return 1 } //= F
type B struct{}
func (b B) G() int { return 1 } //= G
func run(x interface{}) int {
	switch y := x.(type) {
	case A:
		return y.F() //> F
	case B:
		return y.G() //> G
	}
	return 0
}
""",
    "loops: a slice": """
type A struct{}
func (a A) F() int { return 1 } //= F
func run(rows []A) {
	for _, a := range rows {
		a.F() //> F
	}
}
""",
    "loops: a map": """
type A struct{}
func (a A) F() int { return 1 } //= F
func run(rows map[string]*A) {
	for _, a := range rows {
		a.F() //> F
	}
}
""",
    "loops: a channel": """
type A struct{}
func (a A) F() int { return 1 } //= F
func run(rows chan A) {
	for a := range rows {
		a.F() //> F
	}
	a := <-rows
	a.F() //> F
}
""",
    "loops: rows of a type without a name": """
type A struct{}
func (a A) F() int { return 1 } //= F
func run() {
	rows := []struct {
		name string
		a    A
	}{{"x", A{}}}
	for _, row := range rows {
		row.a.F() //> F
	}
}
""",
    "types: a variable of one without a name": """
type A struct{}
func (a A) F() int { return 1 } //= F
func run() int {
	var one struct{ a A }
	return one.a.F() //> F
}
""",
    "types: an alias": """
type A struct{}
func (a A) F() int { return 1 } //= F
type B = A
func run(b B) int { return b.F() } //> F
""",
    "types: one of a function": """
func run() int {
	type a struct{ x int }
	return a{x: f()}.x //> f
}
func f() int { return 1 } //= f
""",
    "types: a conversion is no call": """
type A int
func run(x int) A {
	return A(x) //> none
}
""",
    "types: new and make": """
type A struct{}
func (a *A) F() int { return 1 } //= F
func run() int {
	return new(A).F() + make([]*A, 1)[0].F() //> F F
}
""",
    "types: append": """
type A struct{}
func (a A) F() int { return 1 } //= F
func run(rows []A) int { return append(rows, A{})[0].F() } //> F
""",
    "generics: a function": """
func f[T any](x T) T { return x } //= f
func run() int { return f(1) + f[int](2) } //> f f
""",
    "generics: with types and several arguments": """
func f[T any](x T, y int) T { return x } //= f
func g[T any]() *T { return nil } //= g
func run() int { return f[int](1, 2) + *g[int]() } //> f g
""",
    "generics: with a type of the package": """
type A struct{}
func (a A) F() int { return 1 } //= F
func f[T any](x ...T) T { return x[0] } //= f
func run() int { return f[A](A{}, A{}).F() } //> f F
""",
    "generics: a method of a type": """
type Box[T any] struct{ x T }
func (b Box[T]) Get() T { return b.x } //= Get
type A struct{}
func (a A) F() int { return 1 } //= F
func run(b Box[A]) int { return b.Get().F() } //> Get F
""",
    "generics: a type is made": """
type Box[T any] struct{ x T }
func (b *Box[T]) Get() T { return b.x } //= Get
func New[T any](x T) *Box[T] { return &Box[T]{x: x} } //= New
func run() int { return New(1).Get() + New[int](2).Get() } //> New Get New Get
""",
    "generics: a constraint's method": """
type T interface {
	F() int //= F
}
func run[A T](a A) int { return a.F() } //> F
""",
    "generics: an element of a map of functions": """
type A struct{}
func (a A) F() int { return 1 } //= F
func run(by map[string]func(int) A, name string) int {
	return by[name](f()).F() //> f F
}
func f() int { return 1 } //= f
""",
    "variables: one of the package": """
type A struct{}
func (a A) F() int { return 1 } //= F
var one = A{}
var two A
func run() int { return one.F() + two.F() } //> F F
""",
    "variables: what initialises one": """
func f() int { return 1 } //= f
var one = f() //> f
""",
    "packages: one that is imported": """
import "example.com/app/geo"

func run() bool {
	p := geo.New() //> geo.New
	return f(p.Far()) //> f geo.Far
}
func f(x bool) bool { return x } //= f
""",
    "packages: with a dot": """
import . "example.com/app/geo"

func run(p Point) bool { return f(p.Far()) } //> f geo.Far
func f(x bool) bool { return x && New().Far() } //= f //> geo.New geo.Far
""",
    "packages: one that is called otherwise than its folder": """
import "example.com/app/go-text"

func run() string { return text.Clean("") } //> text.Clean
""",
    "packages: a version at the end of its path": """
import "example.com/app/v2"

func run() int { return api.Open() } //> api.Open
""",
    "packages: the declaration of the default system": """
func run() int { return system() } //> system_linux.system
""",
    "packages: a name hides that of an import": """
import "strings"

type A struct{}
func (a A) Join() int { return 1 } //= Join
func run(s []string) int {
	_ = strings.Join(s, "")
	var strings A
	return strings.Join() //> Join
}
""",
    "statements: labels, switches and selects": """
func f() int { return 1 } //= f
func run(c chan int) {
outer:
	for {
		switch f() { //> f
		case f(): //> f
			break outer
		}
		select {
		case c <- f(): //> f
		default:
			f() //> f
		}
	}
}
""",
    "statements: assignments": """
type A struct{}
func (a A) F() int { return 1 } //= F
func run() int {
	var a A
	var rows []A
	a, rows = A{}, nil
	rows = append(rows, a)
	return a.F() + rows[0].F() //> F F
}
""",
    "constants: in the size of an array": """
const size = 2
type A struct{}
func (a A) F() int { return 1 } //= F
func run() int {
	var rows [size]A
	return rows[1].F() //> F
}
""",
    "embedding: a method of the embedded is called by the outer": """
type A struct{}
func (a A) F() int { return 1 } //= F
type B struct{ A }
func (b B) F() int { return b.A.F() + 1 } //> F
""",
}
CASES = {name: _HEAD + body for name, body in _BODIES.items()}

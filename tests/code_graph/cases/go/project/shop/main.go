package main

import (
	"fmt"

	"example.com/shop/billing"
	st "example.com/shop/store"
)

type app struct {
	store  *st.Store
	biller billing.Biller
}

func newApp() *app {
	return &app{store: st.New(), biller: billing.NewCard("x")}
}

func (a *app) run(names ...string) error {
	defer a.close()
	for _, name := range names {
		item := a.store.Find(name)
		if item == nil {
			continue
		}
		if err := a.biller.Charge(item.Price()); err != nil {
			return wrap(err)
		}
		item.Touch()
	}
	go a.report()
	return nil
}

func (a *app) close() { a.store.Close() }

func (a *app) report() { fmt.Println(a.store.Len()) }

func wrap(err error) error { return fmt.Errorf("run: %w", err) }

func main() {
	a := newApp()
	if err := a.run("a"); err != nil {
		fmt.Println(err)
	}
	a.store.Each(func(item *st.Item) { item.Touch() })
}

package billing

// Biller charges amounts.
type Biller interface {
	Charge(amount int) error
}

type Card struct {
	log
	owner string
}

type log struct{ lines []string }

func (l *log) add(line string) { l.lines = append(l.lines, line) }

func NewCard(owner string) *Card { return &Card{owner: owner} }

func (c *Card) Charge(amount int) error {
	c.add("charge")
	return check(amount)
}

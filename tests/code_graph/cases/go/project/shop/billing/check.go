package billing

import "errors"

var errAmount = errors.New("amount")

func check(amount int) error {
	if amount < 0 {
		return errAmount
	}
	return nil
}

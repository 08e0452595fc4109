package sim

import (
	"fmt"
	"testing"
	"testing/synctest"
)

// bubble runs f in virtual time and returns when f and every goroutine that it
// started have ended. It works in a plain binary as well as under go test: this
// function is the one place that knows how. A goroutine that stays blocked for
// ever is reported as an error; such goroutines leak.
//
// Nothing promises that synctest.Test accepts a zero testing.T. TestBubble pins it.
func bubble(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("sim: %v", r)
		}
	}()
	synctest.Test(new(testing.T), func(*testing.T) { f() })
	return nil
}

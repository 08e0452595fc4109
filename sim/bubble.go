package sim

import (
	"fmt"
	"testing"
	"testing/synctest"
)

// bubble runs f in virtual time and returns when f and every goroutine that it
// started have ended. It works in a plain binary as well as under go test. It
// returns an error if a goroutine stays blocked for ever; such goroutines leak.
//
// The documentation of synctest.Test does not promise that it accepts a zero
// testing.T. TestBubble checks that it does.
func bubble(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("sim: %v", r)
		}
	}()
	synctest.Test(new(testing.T), func(*testing.T) { f() })
	return nil
}

package scenarios

import (
	"math/rand"
	"os"
	"strings"
	"sync"
)

// seedable has [rand.Seed] work again: since Go 1.24 it does nothing without this setting.
var seedable = sync.OnceFunc(func() {
	settings := append(strings.Fields(strings.ReplaceAll(os.Getenv("GODEBUG"), ",", " ")), "randseednop=0")
	_ = os.Setenv("GODEBUG", strings.Join(settings, ",")) // it fails for a name or a value with a zero byte only
})

// seedGlobal gives the global source of math/rand the seed of a run. A driver that retries draws its
// pauses from it (go-redis: internal.RetryBackoff). Nothing can seed that of math/rand/v2.
func seedGlobal(seed uint64) {
	seedable()
	rand.Seed(int64(seed)) //nolint:staticcheck // the only way to the global source that drivers draw from
}

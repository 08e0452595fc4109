package subjects

import (
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
)

// driverOption is an option of every subject that uses go-redis.
var driverOption = plan.OptionDeclaration{Name: "driver", Values: []string{"plain", "retrying"}, Doc: "whether go-redis sends a command again whose answer did not come within a fifth of the node timeout"}

// retriesOption is an option of libraries that retry by themselves.
var retriesOption = plan.OptionDeclaration{Name: "retries", Values: []string{"library", "caller"}, Doc: "who tries again after a failed attempt: the library's Lock, or its caller in a loop of TryLock"}

func retriedByCaller(e lock.Environment) bool { return e.Option("retries", "library") == "caller" }

package subjects

import "redlocklab/scenarios/plan"

// driverOption is an option of every subject that uses go-redis.
var driverOption = plan.OptionDeclaration{Name: "driver", Values: []string{"plain", "retrying"}, Doc: "whether go-redis sends a command again whose answer did not come within a fifth of the node timeout"}

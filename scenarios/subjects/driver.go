package subjects

import "redlocklab/scenarios/plan"

// driverOption is what every subject on go-redis understands.
var driverOption = plan.OptionDeclaration{Name: "driver", Values: []string{"plain", "retrying"}, Doc: "whether go-redis sends a command again whose answer did not come within a fifth of the node timeout"}

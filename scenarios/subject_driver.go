package scenarios

// driverOption is what every subject on go-redis understands.
var driverOption = OptionDeclaration{"driver", []string{"plain", "retrying"}, "whether go-redis sends a command again whose answer did not come within a fifth of the node timeout"}

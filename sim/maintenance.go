package sim

import "github.com/redis/go-redis/v9/maintnotifications"

// noMaintenance turns off go-redis' maintenance notifications, which resolve
// host names outside the bubble.
func noMaintenance() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}

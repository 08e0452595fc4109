package choice

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"redlocklab/faults"
)

// values says what flags of a type take, where the library says only that it cannot read a value.
var values = map[string]string{
	"uint64": "a whole number from 0", "int": "a whole number", "duration": "a duration with its unit, like 20s", "bool": "true, false",
}

// Slips makes a command, and those below it, say of wrong flags and arguments what was found and what
// is allowed.
func Slips(command *cobra.Command) {
	command.SetFlagErrorFunc(slip)
	for _, c := range append(command.Commands(), command) {
		check := c.Args
		if check == nil {
			continue
		}
		c.Args = func(c *cobra.Command, args []string) error {
			if check(c, args) != nil {
				return fmt.Errorf("found %d arguments; allowed: %s", len(args), strings.TrimSuffix(c.UseLine(), " [flags]"))
			}
			return nil
		}
	}
}

func slip(command *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &value) && values[value.GetFlag().Value.Type()] != "":
		return fmt.Errorf("--%s: found %q; allowed: %s", value.GetFlag().Name, value.GetValue(), values[value.GetFlag().Value.Type()])
	case errors.As(err, &missing):
		return fmt.Errorf("--%s: found no value; allowed: --%s VALUE", missing.GetSpecifiedName(), missing.GetSpecifiedName())
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		command.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		return fmt.Errorf("found the unknown flag --%s; %s", unknown.GetSpecifiedName(), faults.Allowed(unknown.GetSpecifiedName(), names))
	}
	return err
}

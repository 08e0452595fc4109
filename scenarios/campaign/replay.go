package campaign

import (
	"fmt"
	"strings"
)

// ReplayCommand is the command that plays one run of a job again.
func ReplayCommand(job *Job, seed uint64) string {
	name, settings, _ := strings.Cut(job.Scenario.Name, "@")
	file := name
	if path := job.Scenario.Path; path != "" && !strings.HasPrefix(path, "suite/") {
		file = path
	}
	set := ""
	for setting := range strings.SplitSeq(settings, "@") {
		if setting != "" {
			set += " --set " + Quote(setting)
		}
	}
	out := fmt.Sprintf("out/%s-%d", name, seed)
	return fmt.Sprintf("./simulate run %s%s --subject %s --seed %d --out %s", Quote(file), set, Quote(job.Subject), seed, Quote(out))
}

// Quote quotes a word for a shell when it needs that.
func Quote(word string) string {
	plain := strings.IndexFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=", r)
	}) < 0
	if plain && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

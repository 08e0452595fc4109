package campaign_test

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/cause"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/saved"
	"redlocklab/sim"
)

// written are the types whose JSON people and programs read.
var written = []any{
	plan.Plan{}, sim.Event{}, saved.SavedVerdict{}, campaign.Row{}, campaign.Summary{}, play.RunOptions{},
	cause.Answer{},
}

// texts are written as text by methods of their own.
var texts = []reflect.Type{reflect.TypeFor[faults.Fault](), reflect.TypeFor[faults.Pattern]()}

// TestFormatsDocumented holds FORMATS.md to the types: every key is in small
// letters, says its unit, and stands in the document.
func TestFormatsDocumented(t *testing.T) {
	text, err := os.ReadFile("../FORMATS.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := 0
	for _, value := range written {
		keys += checkKeys(t, reflect.TypeOf(value), string(text), map[reflect.Type]bool{})
	}
	if keys < 100 {
		t.Errorf("only %d keys were looked at", keys)
	}
}

// TestVersionsDocumented holds FORMATS.md to the versions that are written.
func TestVersionsDocumented(t *testing.T) {
	text, err := os.ReadFile("../FORMATS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("a run's result, `%s` | `version` %d |", saved.VerdictFile, saved.VerdictVersion),
		fmt.Sprintf("the causes of a run's findings, `%s` | `version` %d |", saved.CausesFile, cause.Version),
		fmt.Sprintf("the rows of a campaign | `version` %d |", campaign.RowsVersion),
		fmt.Sprintf("the results of a long command, `%s` | `version` %d |", journal.File, journal.Version),
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("FORMATS.md does not say %q", want)
		}
	}
}

func checkKeys(t *testing.T, typ reflect.Type, document string, seen map[reflect.Type]bool) int {
	t.Helper()
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
		typ = typ.Elem()
	}
	for _, text := range texts {
		if typ == text {
			return 0
		}
	}
	if typ.Kind() != reflect.Struct || seen[typ] {
		return 0
	}
	seen[typ] = true
	keys := 0
	for _, field := range reflect.VisibleFields(typ) {
		if field.Anonymous || !field.IsExported() || len(field.Index) > 1 && field.Tag.Get("json") == "" {
			continue
		}
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "-" { // it is not written
			continue
		}
		keys++
		if problem := keyProblem(key, field.Type, document); problem != "" {
			t.Errorf("%s.%s: the key %q %s", typ, field.Name, key, problem)
		}
		keys += checkKeys(t, field.Type, document, seen)
	}
	return keys
}

var smallLetters = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

func keyProblem(key string, typ reflect.Type, document string) string {
	switch {
	case !smallLetters.MatchString(key):
		return "is not in small letters"
	case typ == reflect.TypeFor[time.Duration]() && !strings.HasSuffix(key, "_ns"):
		return "does not say its unit, _ns"
	case !strings.Contains(document, "`"+key+"`"):
		return "does not stand in FORMATS.md"
	}
	return ""
}

// TestFormatsCatch shows that each kind of bad key is seen.
func TestFormatsCatch(t *testing.T) {
	duration, number := reflect.TypeFor[time.Duration](), reflect.TypeFor[int]()
	for key, typ := range map[string]reflect.Type{"": number, "RateErrorPPM": number, "within": duration, "unheard_of": number} {
		if keyProblem(key, typ, "`within` `RateErrorPPM`") == "" {
			t.Errorf("the key %q passed", key)
		}
	}
	if problem := keyProblem("within_ns", duration, "`within_ns`"); problem != "" {
		t.Errorf("within_ns: %s", problem)
	}
}

// TestPlanRoundTrip reads every plan of the suite back from its JSON.
func TestPlanRoundTrip(t *testing.T) {
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		for _, subject := range s.Subjects {
			p, err := s.Plan(subject.Title(), 1)
			if err != nil {
				t.Fatal(err)
			}
			text, err := p.Encode()
			if err != nil {
				t.Fatal(err)
			}
			again, err := plan.DecodePlan(text)
			if err != nil {
				t.Fatalf("%s %s: %v", s.Name, subject.Title(), err)
			}
			if again.Hash() != p.Hash() {
				t.Errorf("%s %s: the plan is another one after reading it back", s.Name, subject.Title())
			}
		}
	}
}

// TestOldPlan: a plan of the first version, whose keys were others, is refused
// for its version, not for its keys.
func TestOldPlan(t *testing.T) {
	_, err := plan.DecodePlan([]byte(`{"version": 1, "lock": {"TTL": 10000000000}}`))
	if err == nil || !strings.Contains(err.Error(), "found a plan of version 1; allowed: 2") {
		t.Errorf("got %v", err)
	}
}

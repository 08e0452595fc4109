package proof

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"redlocklab/redlock"
	"redlocklab/tla"
)

// start returns a prover in a directory of its own. It skips loudly without coqc, and
// fails in CI.
func start(t *testing.T) prover {
	t.Helper()
	coqc, err := Find()
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatalf("CI must have coqc: %v", err)
	case err != nil:
		t.Skip("NOT CHECKED: ", err)
	}
	directory := t.TempDir()
	if err := os.CopyFS(directory, files); err != nil {
		t.Fatal(err)
	}
	return prover{coqc, directory}
}

// AllowanceFor is never below the allowance that the theorem asks for, and above it
// by the 2 ms for servers that expire keys in whole milliseconds, no more.
func TestAllowanceIsTheTheorems(t *testing.T) {
	p := start(t)
	random := rand.New(rand.NewPCG(22, 8))
	type input struct {
		ttl time.Duration
		ppm int
	}
	inputs := []input{{0, 0}, {1, 0}, {1, 1}, {1, 999_999}, {time.Second, 4_500}, {time.Second, 5_000}}
	for range 2_000 {
		ttl := time.Duration(random.Int64N(int64(time.Millisecond) << random.IntN(26)))
		inputs = append(inputs, input{ttl, random.IntN(1_000_000)}, input{ttl, random.IntN(20_000)})
	}
	var table strings.Builder
	table.WriteString("Require Import ZArith List. From Redlock Require Import Allowance. Import ListNotations. Open Scope Z_scope.\n" +
		"Eval vm_compute in (map (fun p => required (fst p) (snd p)) [\n")
	for i, in := range inputs {
		separator := ";"
		if i == len(inputs)-1 {
			separator = "]).\n"
		}
		fmt.Fprintf(&table, "(%d, %d)%s\n", in.ttl.Nanoseconds(), in.ppm, separator)
	}
	if err := os.WriteFile(filepath.Join(p.directory, "Table.v"), []byte(table.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	output, broken, err := p.compile(t.Context(), []string{"Clocks.v", "Allowance.v", "Table.v"})
	if err != nil || broken != "" {
		t.Fatalf("%v %s\n%s", err, broken, output)
	}
	output, _, _ = strings.Cut(output, ": list Z")
	numbers := regexp.MustCompile(`\d+`).FindAllString(output, -1)
	if len(numbers) != len(inputs) {
		t.Fatalf("%d numbers for %d inputs", len(numbers), len(inputs))
	}
	for i, in := range inputs {
		required, err := strconv.ParseInt(numbers[i], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := redlock.AllowanceFor(in.ttl, in.ppm), time.Duration(required)+2*time.Millisecond; got != want {
			t.Errorf("AllowanceFor(%v, %d) = %v; the theorem asks for %v and 2 ms", in.ttl, in.ppm, got, time.Duration(required))
		}
	}
}

// Every variant can be made: its text stands once in a file that is compiled.
func TestVariantsApply(t *testing.T) {
	variants := Variants()
	if len(variants) < 20 {
		t.Errorf("only %d variants", len(variants))
	}
	for _, v := range variants {
		if !slices.Contains(sources(), v.File) {
			t.Errorf("%s: %s is not compiled", v.Name, v.File)
		} else if n := strings.Count(text(v.File), v.Old); n != 1 || v.Old == v.New {
			t.Errorf("%s: its text stands %d times in %s", v.Name, n, v.File)
		}
	}
}

// The theorems that the manifest of the models names are there, and their axioms are listed.
func TestClaimsNameTheorems(t *testing.T) {
	named := 0
	for _, claim := range tla.LoadManifest().Claims {
		for _, name := range regexp.MustCompile(`\b[a-z]+(?:_[a-z]+)+\b`).FindAllString(claim.Theorem, -1) {
			named++
			if !strings.Contains(text("Axioms.v"), "Print Assumptions "+name+".") {
				t.Errorf("%s: the axioms of %s are not listed", claim.Claim, name)
			}
		}
	}
	if named < 20 {
		t.Errorf("only %d theorems are named", named)
	}
}

// Every file is compiled, every theorem's axioms are listed, and nothing is left open.
func TestNothingIsLeftOut(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	theorem := regexp.MustCompile(`(?m)^Theorem (\w+)`)
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".v") {
			continue
		}
		if !slices.Contains(sources(), name) {
			t.Errorf("%s is not in _CoqProject", name)
		}
		for _, found := range theorem.FindAllStringSubmatch(text(name), -1) {
			internal := slices.Contains([]string{"step_keeps", "always", "majorities_meet", "allowance_formula", "free_nodes_are_enough"}, found[1])
			if listed := strings.Contains(text("Axioms.v"), "Print Assumptions "+found[1]+"."); !listed && !internal {
				t.Errorf("%s: the axioms of %s are not listed", name, found[1])
			}
		}
	}
	if problems := unproved(); len(problems) > 0 {
		t.Error(problems)
	}
}

func TestForbiddenWords(t *testing.T) {
	for code, want := range map[string]bool{
		"Proof. Admitted.": true, "Axiom choice : True.": true, "Parameter p : nat.": true, "admit.": true,
		"Require Import Admission.": false, "Lemma axiomatic : True.": false, "(* an Axiom *)": false,
	} {
		if got := forbidden.MatchString(comment.ReplaceAllString(code, "")); got != want {
			t.Errorf("%s: %v", code, got)
		}
	}
}

func TestAxiomsOf(t *testing.T) {
	theorems, names := axioms("Axioms:\nA.sig_forall_dec\n  : forall P,\n    {n}\nB.ext : forall A,\nClosed under the global context\nAxioms:\nA.sig_forall_dec\n")
	if theorems != 3 || !slices.Equal(names, []string{"A.sig_forall_dec", "B.ext"}) {
		t.Errorf("%d theorems, axioms %q", theorems, names)
	}
}

// A file that does not compile is named, with the lemma.
func TestCulprit(t *testing.T) {
	p := start(t)
	wrong := "Lemma right : 1 = 1.\nProof. reflexivity. Qed.\nLemma wrong : 1 = 2.\nProof. reflexivity. Qed.\n"
	if err := os.WriteFile(filepath.Join(p.directory, "Wrong.v"), []byte(wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, broken, err := p.compile(t.Context(), []string{"Wrong.v"}); err != nil || broken != "Wrong.v wrong" {
		t.Errorf("%q, error %v", broken, err)
	}
}

func TestMissingCoq(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var missing *tla.MissingToolError
	if _, err := Check(t.Context(), nil, nil); !errors.As(err, &missing) || !strings.Contains(err.Error(), "apt-get install") {
		t.Errorf("error %v", err)
	}
}

func TestCheckIsCutShort(t *testing.T) {
	start(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Check(ctx, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

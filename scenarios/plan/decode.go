package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// LoadPlan reads a plan from a file. Unknown fields and other versions are errors.
func LoadPlan(path string) (*Plan, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p, err := DecodePlan(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// DecodePlan reads a plan from its JSON and checks it. A plan of another version is
// reported as such, not by its fields.
func DecodePlan(b []byte) (*Plan, error) {
	var header struct {
		Version int `json:"version"`
	}
	if json.Unmarshal(b, &header) == nil && header.Version != PlanVersion {
		return nil, fmt.Errorf("found a plan of version %d; allowed: %d, the version of this program; the scenario makes the run anew: ./simulate run NAME --seed N --out DIR", header.Version, PlanVersion)
	}
	p := &Plan{}
	if err := DecodeStrict(b, p); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p, nil
}

// DecodeStrict reads a JSON value in which no field is unknown. Its errors name the line,
// where that is known.
func DecodeStrict(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if err == nil {
		return nil
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("line %d: the file was cut short here; allowed: the whole file, as it was written",
			1+bytes.Count(text, []byte("\n")))
	}
	offset := -1
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	name, unknown := strings.CutPrefix(err.Error(), "json: unknown field ")
	switch {
	case errors.As(err, &syntax):
		offset = int(syntax.Offset)
	case errors.As(err, &mismatch):
		offset = int(mismatch.Offset)
	case unknown: // such an error has no offset
		offset = bytes.Index(text, []byte(name))
	}
	if offset < 0 {
		return err
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(text[:min(offset, len(text))], []byte("\n")), err)
}

package atlas

import (
	"fmt"
	"slices"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// Agreement is how a cell compares with its prediction.
type Agreement string

// The agreements. A cell that is undecided, or where the prediction is open, agrees with nothing.
const (
	Unpredicted Agreement = ""
	Agrees      Agreement = "agrees"
	Disagrees   Agreement = "disagrees"
	LeftOpen    Agreement = "open"
	NoVerdict   Agreement = "undecided"
)

// rule is a prediction that can be asked.
type rule struct {
	*plan.Prediction
	violated, none, open plan.Condition
}

// compile checks the predictions.
func (m *Map) compile() error {
	m.parameters = m.Spec.Map.Parameters(m.Scenario.Parameters)
	for i := range m.Spec.Map.Predictions {
		r := rule{Prediction: &m.Spec.Map.Predictions[i]}
		for _, f := range []struct {
			formula plan.Formula
			into    *plan.Condition
		}{{r.Violated, &r.violated}, {r.None, &r.none}, {r.Open, &r.open}} {
			var err error
			if *f.into, err = f.formula.Compile(m.parameters); err != nil {
				return fmt.Errorf("%s: map.predicts[%d]: %w", m.Spec.File, i, err)
			}
		}
		m.rules = append(m.rules, r)
	}
	return nil
}

// rule is the prediction about a subject by a judge; nil when there is none. The first that
// names them counts.
func (m *Map) rule(subject, judge string) *rule {
	for i := range m.rules {
		if r := &m.rules[i]; (r.Subject == "" || r.Subject == subject) && (r.Judge == "" || r.Judge == judge) {
			return r
		}
	}
	return nil
}

// predict asks a prediction about a place.
func (m *Map) predict(r *rule, p Place) (c campaign.Grade, open bool, err error) {
	values := slices.Clone(p.Values[:len(m.Axes)])
	for _, parameter := range m.parameters[len(m.Axes):] {
		value, err := parameter.Parse(parameter.Value)
		if err != nil {
			return campaign.Undecided, false, err
		}
		values = append(values, value)
	}
	ask := func(c plan.Condition) (holds bool) {
		if err == nil {
			holds, err = c.Holds(m.parameters, values)
		}
		return holds
	}
	c = campaign.Held
	switch {
	case ask(r.violated):
		c = campaign.Violated
	case ask(r.none):
		c = campaign.NoProgress
	}
	return c, ask(r.open), err
}

// Prediction says what the file predicts of a place, and whether what was seen agrees.
func (m *Map) prediction(p Place, judge string, seen Verdict) (Verdict, Agreement, error) {
	r := m.rule(m.Subjects[p.Subject], judge)
	if r == nil {
		return "", Unpredicted, nil
	}
	c, open, err := m.predict(r, p)
	predicted := wordOf(c, judge)
	switch {
	case open:
		return predicted, LeftOpen, err
	case seen == Undecided:
		return predicted, NoVerdict, err
	case seen == predicted:
		return predicted, Agrees, err
	}
	return predicted, Disagrees, err
}

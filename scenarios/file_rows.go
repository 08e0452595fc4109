package scenarios

import "fmt"

// rows checks that no two rows of one subject are the same: with equal settings,
// given or by default, they play the same runs, whatever their titles promise.
func (r *reader) rows(subjects []Subject) {
	for i, b := range subjects {
		d, _ := declared(b.Name)
		for _, a := range subjects[:i] {
			if a.Name == b.Name && d.same(a, b) {
				r.report("subjects."+b.Title(), fmt.Sprintf("found the options of %s again, which plays the same; allowed: other options than those of the subject's other rows%s",
					quoted(a.Title()), byDefault(d)))
				break
			}
		}
	}
}

// byDefault tells what options are when a row says nothing.
func byDefault(d SubjectDeclaration) string {
	text := ""
	for i, o := range d.Options {
		separator := ", "
		if i == 0 {
			separator = "; by default "
		}
		text += separator + o.Name + ": " + o.Values[0]
	}
	return text
}

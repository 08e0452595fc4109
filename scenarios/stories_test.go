package scenarios

import (
	"regexp"
	"strings"
	"testing"
)

// longestSentence is the number of words that a sentence of a story may have.
const longestSentence = 25

// The end of a sentence: a mark that a blank and a new sentence follow.
var sentenceEnd = regexp.MustCompile(`[.?!]\s+`)

// TestSuiteStories holds the stories to plain English: short sentences, and a
// word about each assumption that the file expects to be broken.
func TestSuiteStories(t *testing.T) {
	suite, err := Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		for _, sentence := range tooLong(s.Title + ". " + s.Story) {
			t.Errorf("%s: more than %d words: %q", s.Name, longestSentence, sentence)
		}
		for _, subject := range s.Subjects {
			for _, broken := range subject.Broken {
				if !strings.Contains(s.Story, broken) {
					t.Errorf("%s: the story does not say what breaks %s", s.Name, broken)
				}
			}
		}
	}
	if long := tooLong("Short. " + strings.Repeat("word ", longestSentence+1) + "end. Short again."); len(long) != 1 {
		t.Errorf("one sentence of three is too long; found %q", long)
	}
}

func tooLong(text string) []string {
	var long []string
	for _, sentence := range sentenceEnd.Split(strings.TrimSpace(text), -1) {
		if len(strings.Fields(sentence)) > longestSentence {
			long = append(long, strings.Join(strings.Fields(sentence), " "))
		}
	}
	return long
}

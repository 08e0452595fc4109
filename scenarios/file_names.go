package scenarios

import "strconv"

// nodeName is the name of the i-th node, counted from 1.
func nodeName(i int) string { return "n" + strconv.Itoa(i) }

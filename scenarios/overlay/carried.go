package overlay

// None is what a program carries that was built from the source as it is.
const None = "none"

// Carried names the patch that this program was built with. The linker sets it:
// packages that are not patched need not be compiled again.
var Carried = None

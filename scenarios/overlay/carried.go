package overlay

// None is what a program carries that was built from the source as it is.
const None = "none"

// Carried names the patch that this program was built with.
const Carried = None

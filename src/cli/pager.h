// Shows what a verb prints on a terminal in the user's pager ($PAGER; less), if it is longer than the screen.
#ifndef CLEW_CLI_PAGER_H
#define CLEW_CLI_PAGER_H

#include <stdbool.h>

// From here on, what is printed to stdout goes through the pager. Nothing happens unless it is `wanted` and stdout is a terminal that
// is not dumb; nor if PAGER is empty or cat, or names no program. Ask for the terminal's width before: stdout is a pipe then.
void pager_begin(bool wanted);
// Waits until all is shown and the user has left the pager. Call it before printing to stderr. Without a pager it does nothing.
void pager_end(void);

#endif

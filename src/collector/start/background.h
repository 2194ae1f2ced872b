// A process that works on without the terminal and the streams of whoever started it.
#ifndef CLEW_COLLECTOR_BACKGROUND_H
#define CLEW_COLLECTOR_BACKGROUND_H

// Leaves the terminal, so that ^C and ^Z reach the program only, and the standard streams, since a reader of a pipe waits
// until all writers have closed it. Gives all signals their default, but ignores SIGPIPE, and blocks none. `log`: what
// becomes standard error; -1: none.
void background_enter(int log);

#endif

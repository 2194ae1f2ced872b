// Command lines as text.
#ifndef CLEW_COLLECTOR_COMMAND_H
#define CLEW_COLLECTOR_COMMAND_H

#include <sys/types.h>

// One line, each word quoted for a shell where needed. NULL when memory runs out; the caller frees it.
char *command_line(char *const *words);
// Of a running process; "" when it cannot be read.
char *command_of_process(pid_t pid);

#endif

// Command lines as text, without secrets: what belongs to a name that the session leaves out (base/redact.h) reads REDACTED.
// `--password=X`, `--password X`, `-p:password=X`, `PASSWORD=X`, `Server=a;Password=X`, `sh -c 'app --password X'`: from the
// value on the whole word goes. A secret without a name cannot be known.
#ifndef CLEW_COLLECTOR_COMMAND_LINE_H
#define CLEW_COLLECTOR_COMMAND_LINE_H

#include <sys/types.h>

#include "base/text.h"

// One line, each word quoted for a shell where needed. NULL when memory runs out; the caller frees it.
char *command_line(char *const *words, struct text configuration);
// Of a running process; "" when it cannot be read.
char *command_of_process(pid_t pid, struct text configuration);

#endif

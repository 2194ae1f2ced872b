// Command lines as text, without secrets: the value of a name that the session redacts (base/redact.h) becomes
// REDACTED.
//
// Recognised are `--password=X`, `--password X`, `-p:password=X`, `PASSWORD=X`, `Server=a;Password=X` and `sh -c 'app
// --password X'`. The rest of the word behind the name is replaced, since the value's end is not known. A secret
// without a name cannot be recognised.
#ifndef CLEW_COLLECTOR_COMMAND_LINE_H
#define CLEW_COLLECTOR_COMMAND_LINE_H

#include <sys/types.h>

#include "base/text.h"

// The words as one line, quoted for a shell as needed. `configuration` is the session's scope. NULL when memory runs
// out; the caller frees it.
char *command_line(char *const *words, struct text configuration);
// The same for a running process; "" when its command line cannot be read.
char *command_of_process(pid_t pid, struct text configuration);
// The words of a running process as they are, as argv in one piece of memory; NULL when they cannot be read. The caller frees
// it.
char **words_of_process(pid_t pid);

#endif

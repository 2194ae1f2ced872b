// Why no runtime loaded what clew wanted it to load, as far as the file of the program shows it.
#ifndef CLEW_CLI_NO_RUNTIME_H
#define CLEW_CLI_NO_RUNTIME_H

#include "base/bytes.h"

// The words in which verbs differ.
struct no_runtime_words {
    const char *loads; // "the agent"
    const char *verb;  // what the user wants to do: "record"
    const char *start; // the words before a program: "clew run --"
};

// Appends one sentence with cause and cure, without a full stop. `path` is the file of the started program, `command` its
// argv.
void no_runtime_reason(struct buffer *into, const char *path, char *const *command, struct no_runtime_words words);

#endif

// The program that `run` and `record` start, as its user names it.
#ifndef CLEW_CLI_PROGRAM_H
#define CLEW_CLI_PROGRAM_H

#include <stdbool.h>

// The words in which verbs that start programs differ.
struct program_words {
    const char *verb;  // what they do with a program: "record"
    const char *start; // the words before it: "clew run --"
};

extern const struct program_words program_recorded; // of `run` and `record`

// Whether the word names what a program is made from: a folder, a project, a solution or a C# file.
bool program_is_source(const char *word);

// An assembly (`App.dll`) is started with `dotnet`: *command then is a new array, which the caller keeps until the end. Returns 0,
// 127 after printing that the file does not exist and what there is instead, or 2 after printing how to start what the word names.
int program_settle(char ***command, const struct program_words *words);

// Says why the first word of a command line cannot be started. `missing`: there is no such file.
void program_say_unusable(const char *word, bool missing, const struct program_words *words);

#endif

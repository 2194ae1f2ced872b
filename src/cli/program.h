// The program that `run` and `record` start, as its user names it.
#ifndef CLEW_CLI_PROGRAM_H
#define CLEW_CLI_PROGRAM_H

// An assembly (`App.dll`) is started with `dotnet`: *command then is a new array, which the caller keeps until the end. Returns 0,
// or 127 after printing that the file does not exist and what there is instead.
int program_settle(char ***command);

#endif

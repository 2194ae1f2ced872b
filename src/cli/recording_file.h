// The file that a session writes: its name, whether it may be written, and what becomes of an older recording there.
#ifndef CLEW_CLI_RECORDING_FILE_H
#define CLEW_CLI_RECORDING_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "recording/output.h"

// The name of the program that a command starts, without folder, .dll or .exe: "dotnet app.dll" starts app. A part of
// one of the words.
struct text recording_file_program(char *const *command);
// NAME.clew, for the current folder; the caller frees it. NULL without memory.
char *recording_file_default(char *const *command);
// Finds out what is there under the names that the recording will have; parts_max as in struct recording_options.
// Returns 0, or the exit status after printing why the recording cannot be written there.
int recording_file_judge(const char *path, uint32_t parts_max, enum recording_output *output);
// Renames an existing recording as if it were the previous part. False, with errno, when that fails.
bool recording_file_age(const char *path, uint32_t parts_max, enum recording_output output);
// Removes an empty recording, and restores the one that it replaced.
void recording_file_take_back(const char *path, enum recording_output output, uint32_t parts_max);

#endif

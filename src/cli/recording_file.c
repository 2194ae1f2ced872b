// See recording_file.h.
#include "cli/recording_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/command.h"
#include "recording/parts.h"

// The part of a path after the last slash.
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Whether a text has more than the suffix and ends with it, in any case of letters.
static bool ends_with(const char *text, const char *suffix)
{
    size_t size = strlen(text), tail = strlen(suffix);
    return size > tail && strcasecmp(text + size - tail, suffix) == 0;
}

// "dotnet app.dll" is named after app.dll.
static const char *named_after(char *const *command)
{
    if (strcmp(base_name(command[0]), "dotnet") == 0) {
        for (char *const *word = command + 1; *word; word++) {
            if (ends_with(*word, ".dll") || ends_with(*word, ".exe")) {
                return *word;
            }
        }
    }
    return command[0];
}

struct text recording_file_program(char *const *command)
{
    const char *name = base_name(named_after(command));
    size_t size = strlen(name);
    return (struct text){name, size - (ends_with(name, ".dll") || ends_with(name, ".exe") ? 4 : 0)};
}

char *recording_file_default(char *const *command)
{
    struct text name = recording_file_program(command);
    char *path = NULL;
    return asprintf(&path, "%.*s.clew", (int)name.size, name.at) < 0 ? NULL : path;
}

static void say_live(const char *path)
{
    cli_say("%s is still being written by another session, so it stays as it is; choose another name with %s", path,
            cli_output_option());
}

// Returns 0, or the exit status after printing why the output cannot be written there.
static int judge_file(const char *path, enum recording_output *output)
{
    *output = recording_output_of(path);
    switch (*output) {
    case OUTPUT_NEW:
    case OUTPUT_RECORDING:
    case OUTPUT_DEVICE:
        return 0;
    case OUTPUT_LIVE:
        say_live(path);
        break;
    case OUTPUT_SPECIAL:
        cli_say("cannot write %s: it is not a regular file; choose another name with %s", path, cli_output_option());
        break;
    case OUTPUT_FOREIGN:
        cli_say("%s exists and is not a recording, so it stays as it is; choose another name with %s", path,
                cli_output_option());
        break;
    case OUTPUT_OLD_IN_THE_WAY:
        cli_say(
            "%s would become %s.old, but that exists and is not a recording, so both stay as they are; choose another "
            "name with %s",
            path, path, cli_output_option());
        break;
    }
    return CLI_USAGE;
}

// The same for all files of a recording in parts (--rotate), none of which becomes FILE.old.
static int judge_parts(const char *path, uint32_t parts_max, enum recording_output *output)
{
    CLEW_ASSERT(parts_max > 0);
    for (uint32_t age = 0; age <= parts_max; age++) {
        bool last = age == parts_max; // the name that the next part has until it is complete
        char *name = last ? recording_next_name(path) : age ? recording_part_name(path, age) : strdup(path);
        enum recording_output there = name ? recording_output_of(name) : OUTPUT_FOREIGN;
        there = there == OUTPUT_OLD_IN_THE_WAY ? OUTPUT_RECORDING : there;
        bool free_of_others = there == OUTPUT_NEW || there == OUTPUT_RECORDING;
        if (there == OUTPUT_LIVE) {
            say_live(name);
        } else if (!free_of_others) {
            cli_say("%s exists and is not a recording, so it stays as it is; choose another name with %s",
                    name ? name : path, cli_output_option());
        }
        free(name);
        if (!free_of_others) {
            return CLI_USAGE;
        }
        *output = age ? *output : there;
    }
    return 0;
}

int recording_file_judge(const char *path, uint32_t parts_max, enum recording_output *output)
{
    return parts_max ? judge_parts(path, parts_max, output) : judge_file(path, output);
}

bool recording_file_age(const char *path, uint32_t parts_max, enum recording_output output)
{
    return output != OUTPUT_RECORDING ||
           (recording_age_parts(path, parts_max) == CLEW_OK && (unlink(path) == 0 || errno == ENOENT));
}

void recording_file_take_back(const char *path, enum recording_output output, uint32_t parts_max)
{
    if (output != OUTPUT_DEVICE) {
        (void)unlink(path);
    }
    if (output != OUTPUT_RECORDING) {
        return;
    }
    char *old = parts_max ? recording_part_name(path, 1) : recording_old_name(path);
    if (old) {
        (void)rename(old, path); // if it fails, the file keeps that name
    }
    free(old);
}

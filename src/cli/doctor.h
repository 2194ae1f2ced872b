// What the checks of `clew doctor` have in common.
#ifndef CLEW_CLI_DOCTOR_H
#define CLEW_CLI_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "view/json/json.h"

// The result of a check: BAD means that recording cannot work.
enum result { GOOD, NOTE, BAD };

// The output, and how many checks failed.
struct doctor {
    bool json, variables; // --json, --env
    struct json out;
    uint32_t bad;
};

// Prints the result of one check. `remedy` NULL: nothing to do.
void doctor_say(struct doctor *doctor, enum result result, const char *what, const char *found, const char *remedy);
// The same with a text in a buffer, which is emptied.
void doctor_say_buffer(struct doctor *doctor, enum result result, const char *what, struct buffer *found,
                       const char *remedy);

// Checks the variables that are set here (variables.h), and says what they do to a program (doctor_env.c).
void doctor_variables(struct doctor *doctor);

#endif

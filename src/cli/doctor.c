// Prints what the checks of `clew doctor` found, for people or as JSON.
#include "cli/doctor.h"

#include <stdio.h>

#include "base/assert.h"
#include "base/foreign.h"
#include "base/text.h"

void doctor_say(struct doctor *doctor, enum result result, const char *what, const char *found, const char *remedy)
{
    static const char *const words[] = {"ok", "note", "bad"};
    static_assert(sizeof words / sizeof *words == BAD + 1, "a word for each result");
    doctor->bad += result == BAD;
    if (doctor->json) {
        json_line(&doctor->out);
        json_open(&doctor->out, '{');
        json_member_text(&doctor->out, "check", text_of(what));
        json_member_text(&doctor->out, "result", text_of(words[result]));
        json_member_text(&doctor->out, "found", text_of(found));
        json_member_text(&doctor->out, "remedy", text_of(remedy ? remedy : ""));
        json_close(&doctor->out, '}');
        return;
    }
    (void)printf("%-5s %-18s ", words[result], what); // errors of stdout show in the program that reads it
    foreign_write(stdout, text_of(found), FOREIGN_TEXT);
    (void)putchar('\n');
    if (remedy) {
        (void)printf("      %-18s -> %s\n", "", remedy);
    }
}

void doctor_say_buffer(struct doctor *doctor, enum result result, const char *what, struct buffer *found,
                       const char *remedy)
{
    buffer_u8(found, 0);
    doctor_say(doctor, result, what, found->failed ? "" : (const char *)found->data, remedy);
    buffer_clear(found);
}

// How documents refuse: a status of HTTP, a sentence, and what to do about it.
#include <stdarg.h>

#include "base/assert.h"
#include "trace/instrument.h"
#include "view/page/page_recording.h"
#include "view/report/report_info.h"

void page_refuse(struct page_answer *answer, unsigned status, const char *format, ...)
{
    CLEW_ASSERT(status >= 400 && status < 600);
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments); // a longer sentence is cut
    va_end(arguments);
    answer->status = status;
    buffer_clear(&answer->error);
    buffer_text(&answer->error, sentence);
}

void page_record_command(struct buffer *into, const struct model *model, const char *instruments)
{
    buffer_text(into, "clew record -i ");
    for (unsigned i = 0; i < INFO_INSTRUMENTS; i++) {
        const char *had = info_instrument(model, i);
        if (had && instrument_named(text_of(had)) && strcmp(had, instruments) != 0) {
            buffer_printf(into, "%s,", had);
        }
    }
    buffer_printf(into, "%s%s -- ", instruments, model->session.instruments & INSTRUMENT_USES ? " --uses" : "");
    buffer_append(into, model->session.command.at, model->session.command.size);
}

void page_cure_record(struct page_answer *answer, const struct model *model, const char *instruments)
{
    CLEW_ASSERT(answer->status >= 400 && "a cure follows what it cures");
    buffer_clear(&answer->cure);
    page_record_command(&answer->cure, model, instruments);
}

void page_answer_write(const struct page_answer *answer, FILE *out)
{
    struct json json = {.out = out};
    json_open(&json, '{');
    json_member_text(&json, "error", text_in(&answer->error));
    json_member_text(&json, "cure", text_in(&answer->cure));
    json_close(&json, '}');
    (void)fputc('\n', out);
}

void page_answer_free(struct page_answer *answer)
{
    buffer_free(&answer->error);
    buffer_free(&answer->cure);
}

// The closing lines with --json. doc/json.md defines them.
#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"
#include "cli/closing_parts.h"
#include "view/json/json.h"
#include "view/report/report_info.h"

// The reasons why methods were not instrumented, each with the number of methods.
static void write_reasons(struct json *json, const struct model *model)
{
    struct closing_reasons reasons = closing_reasons_of(model);
    json_key(json, "not_woven_reasons");
    json_open(json, '[');
    for (uint32_t i = 0; i < reasons.count; i++) {
        json_open(json, '{');
        json_member_text(json, "reason", reasons.of[i].text);
        json_member_u64(json, "methods", reasons.of[i].count);
        json_close(json, '}');
    }
    json_close(json, ']');
    free(reasons.of);
}

void closing_json(const struct session *session, const struct model *model, int exit_status)
{
    struct json json = {.out = stderr};
    json_open(&json, '{');
    json_member_text(&json, "file", text_of(session->path));
    json_member_u64(&json, "size", model->file_size);
    json_member_u64(&json, "events", model->events);
    json_member_maybe(&json, "lost", model->lost, model->has_end);
    json_member_text(&json, "clock", text_of(clock_name(model->session.clock)));
    json_member_u64(&json, "processes", model->catalog.process_count);
    json_member_u64(&json, "threads", model->catalog.thread_count);
    json_member_u64(&json, "methods", model->catalog.method_count);
    json_member_u64(&json, "not_woven", model->catalog.not_woven_count);
    write_reasons(&json, model);
    json_member_bool(&json, "complete", model->complete);
    json_member_u64(&json, "probe_ps", (uint64_t)(info_overhead_ns(model) * 1000 + 0.5));
    json_member_u64(&json, "exit_status", (uint64_t)exit_status);
    json_close(&json, '}');
    CLEW_ASSERT(json.depth == 0 && "each bracket is closed");
    (void)fputc('\n', stderr); // if stderr fails there is nowhere to report it
}

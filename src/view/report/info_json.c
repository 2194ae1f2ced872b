// `clew info --json`. doc/json.md defines it.
#include <sys/wait.h>

#include "base/assert.h"
#include "model/pattern.h"
#include "view/json/json_rows.h"
#include "view/report/report_info.h"
#include "view/report/reports.h"
#include "view/table/table_json.h"
#include "view/table/tables.h"
#include "view/text/format_end.h"

// A number with decimals, which the JSON writer does not offer.
static void member_number(struct json *json, const char *key, double value)
{
    json_key(json, key);
    (void)fprintf(json->out, "%.3f", value);
    json->more = true;
}

// The exception that ended the process; null: none that is known.
static void write_unhandled(struct json *json, const struct model *model, const struct recording_process *process)
{
    struct unhandled unhandled = unhandled_of(model, process);
    json_member_text_maybe(json, "unhandled", unhandled.known ? unhandled.type : (struct text){0});
    json_member_text_maybe(json, "unhandled_message", unhandled.has_message ? unhandled.message : (struct text){0});
    unhandled_free(&unhandled);
    json_member_bool(json, "failed_fast", process->failed_fast != 0);
    json_member_text_maybe(json, "failed_fast_in", failed_fast_in(model, process));
}

// Exit code and signal exclude each other; both are null if the status is unknown.
static void write_process(struct json *json, const struct model *model, const struct recording_process *process)
{
    bool known = info_ended(process) && process->exit_known == RECORDING_EXIT_KNOWN;
    bool killed = known && WIFSIGNALED(process->exit_status);
    json_line(json);
    json_open(json, '{');
    json_member_u64(json, "process", process->process);
    json_member_u64(json, "os_id", process->os_id);
    json_member_text(json, "state", text_of(info_state(process->state)));
    json_member_maybe(json, "exit_code", (uint64_t)WEXITSTATUS(process->exit_status), known && !killed);
    json_member_maybe(json, "signal", (uint64_t)WTERMSIG(process->exit_status), killed);
    write_unhandled(json, model, process);
    json_member_text(json, "command", process->command);
    json_member_text(json, "runtime", process->runtime);
    json_moment(json, model, "start_ns", process->started_clock);
    json_moment(json, model, "end_ns", process->ended_clock);
    json_member_u64(json, "dynamic_methods", process->dynamic_methods);
    json_member_maybe(json, "allocated_bytes", process->allocated, process->allocated > 0);
    bool compiled = process->compiled > 0; // a process that ran anything has; earlier recordings do not say
    json_member_maybe(json, "compiled_methods", process->compiled, compiled);
    json_member_maybe(json, "compiling_ns", process->compiled_ns, compiled);
    json_member_maybe(json, "refused_methods", process->refused, compiled);
    json_member_maybe(json, "refused_ns", process->refused_ns, compiled);
    json_member_maybe(json, "weaving_ns", process->woven_ns, compiled);
    json_member_u64(json, "skipped_methods", process->left_out);
    json_member_u64(json, "threads_refused", process->threads_refused);
    json_member_u64(json, "lost", process->lost);
    json_member_u64(json, "pauses", process->pauses);
    json_member_u64(json, "paused_ns", process->paused_ns);
    json_member_bool(json, "over_cap", process->over_cap);
    member_number(json, "overhead_ns", (double)process->probe_ps / 1000);
    member_number(json, "overhead_own_ns", (double)process->probe_own_ps / 1000);
    json_close(json, '}');
}

static void write_costs(struct json *json, const struct model *model)
{
    struct info_cost costs[INFO_COSTS];
    info_costs(model, costs);
    json_key(json, "overheads");
    json_open(json, '[');
    for (unsigned i = 0; i < INFO_COSTS; i++) {
        if (costs[i].each_ns > 0) {
            json_open(json, '{');
            json_member_text(json, "event", text_of(costs[i].event));
            member_number(json, "each_ns", costs[i].each_ns);
            json_member_u64(json, "count", costs[i].count);
            json_close(json, '}');
        }
    }
    json_close(json, ']');
}

static struct text module_name(const struct catalog *catalog, uint32_t process, uint32_t module)
{
    uint32_t index = catalog_find_module(catalog, process, module);
    return index == CATALOG_NONE ? text_of("") : catalog->modules[index].name;
}

// Methods and modules in scope that were not recorded, with the agent's reason.
static void write_not_woven(struct json *json, const struct catalog *catalog)
{
    json_key(json, "not_woven");
    json_open(json, '[');
    for (uint32_t i = 0; i < catalog->not_woven_count; i++) {
        const struct recording_not_woven *left = &catalog->not_woven[i];
        json_line(json);
        json_open(json, '{');
        json_member_text(json, "method", left->name);
        json_member_text(json, "module", module_name(catalog, left->process, left->module));
        json_member_text(json, "reason", left->reason);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static enum clew_error write_lists(const struct view *view, struct model *model, struct json *json)
{
    json_key(json, "process_list");
    json_open(json, '[');
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        write_process(json, model, &model->catalog.processes[i]);
    }
    json_close(json, ']');
    CLEW_TRY(table_json(view, model, &threads_table, "thread_list", json));
    json_key(json, "notes");
    json_open(json, '[');
    for (uint32_t i = 0; i < model->catalog.note_count; i++) {
        json_text(json, model->catalog.notes[i].text);
    }
    json_close(json, ']');
    return CLEW_OK;
}

static void write_instruments(struct json *json, const struct model *model)
{
    json_key(json, "instruments");
    json_open(json, '[');
    for (unsigned i = 0; i < INFO_INSTRUMENTS; i++) {
        if (info_instrument(model, i)) {
            json_text(json, text_of(info_instrument(model, i)));
        }
    }
    json_close(json, ']');
}

enum clew_error view_info_json(const struct view *view, struct model *model)
{
    struct json json = {.out = view->out};
    json_open(&json, '{');
    json_session(&json, model);
    json_member_u64(&json, "processes", model->catalog.process_count);
    json_member_u64(&json, "threads", model->catalog.thread_count);
    json_member_u64(&json, "methods", catalog_count_methods(&model->catalog));
    json_member_u64(&json, "statements", model->counts.statements);
    json_member_u64(&json, "values", model->counts.values);
    json_member_u64(&json, "sites", model->counts.sites);
    json_member_u64(&json, "objects", model->counts.objects);
    json_member_u64(&json, "sources", model->counts.sources);
    member_number(&json, "overhead_ns", info_overhead_ns(model));
    write_costs(&json, model);
    write_instruments(&json, model);
    json_member_bool(&json, "all_code", model->session.flags & SESSION_ALL_CODE);
    json_member_bool(&json, "exact_ends", model->session.flags & SESSION_EXACT_ENDS);
    json_member_bool(&json, "self_started", model->session.flags & SESSION_SELF_STARTED);
    json_member_u64(&json, "depth_max", model->session.depth_max);
    struct buffer scope = {0};
    pattern_scope_asked(&scope, model->session.scope);
    json_member_text(&json, "scope", text_in(&scope));
    buffer_free(&scope);
    json_member_text(&json, "folder", model->session.folder);
    json_member_text(&json, "host", model->session.host);
    json_member_u64(&json, "started_unix_ns", model->session.started_realtime_ns);
    json_member_maybe(&json, "part", model->session.part, model->session.part > 0);
    json_member_u64(&json, "size_bytes", model->file_size);
    json_member_bool(&json, "closed", model->has_end);
    json_member_bool(&json, "repaired", model->repaired);
    json_member_u64(&json, "damaged_stretches", model->health.damaged);
    json_member_u64(&json, "damaged_bytes", model->health.damaged_bytes);
    json_member_u64(&json, "cut_bytes", model->health.cut_bytes);
    json_member_u64(&json, "unknown_blocks", model->health.unknown);
    write_not_woven(&json, &model->catalog);
    CLEW_TRY(write_lists(view, model, &json));
    json_close(&json, '}');
    CLEW_ASSERT(json.depth == 0 && "each bracket is closed");
    (void)fputc('\n', view->out);
    return CLEW_OK;
}

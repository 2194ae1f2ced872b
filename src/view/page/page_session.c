// The documents `session` and `changes`: what the recording is, what it has, and whether it is still written.
#include "view/page/page_documents.h"
#include "view/page/page_findings.h"
#include "view/report/reports.h"
#include "view/table/report_registry.h"

enum { API = 1 }; // of the documents; a change that breaks pages raises it

// What views can need, and how a recording gets it.
struct ability {
    const char *name;
    bool has;
};

static const struct need {
    const char *view;
    const char *ability;
    const char *instruments;
} needs[] = {
    {"overview", "tree", "tree"},
    {"flame", "tree", "tree"},
    {"tree", "tree", "tree"},
    {"hot", "tree", "tree"},
    {"threads", "tree", "tree"},
    {"requests", "requests", "tree"},
    {"timeline", "calls", "calls"},
    {"story", "calls", "values"},
    {"source", "lines", "lines"},
    {"values", "values", "values"},
    {"files", "lines", "lines"},
    {"allocations", "allocations", "values"},
    {"exceptions", "exceptions", "tree"},
};

enum { ABILITIES = 12 };

static struct ability has_report(const struct model *model, const char *name)
{
    return (struct ability){name, report_has(report_named(text_of(name)), model)};
}

static void find_abilities(const struct model *model, struct ability out[ABILITIES])
{
    out[0] = (struct ability){"times", model_has_times(model)};
    out[1] = (struct ability){"tree", model->tree_count > 0};
    out[2] = (struct ability){"calls", model->has_stream};
    out[3] = has_report(model, "lines");
    out[4] = (struct ability){"statements", model->counts.statements > 0};
    out[5] = (struct ability){"values", model->counts.values > 0};
    out[6] = (struct ability){"sources", model->counts.sources > 0};
    out[7] = has_report(model, "allocations");
    out[8] = (struct ability){"logical", model->view == MODEL_LOGICAL};
    out[9] = has_report(model, "requests");
    out[10] = has_report(model, "slowest");
    out[11] = has_report(model, "exceptions");
}

static bool is_able(const struct ability abilities[ABILITIES], const char *name)
{
    for (unsigned i = 0; i < ABILITIES; i++) {
        if (text_equal(text_of(abilities[i].name), text_of(name))) {
            return abilities[i].has;
        }
    }
    return false;
}

// For each view without data, the command that records it.
static void write_record(struct json *json, const struct model *model, const struct ability abilities[ABILITIES])
{
    struct buffer command = {0};
    json_key(json, "record");
    json_open(json, '{');
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (!is_able(abilities, needs[i].ability)) {
            buffer_clear(&command);
            page_record_command(&command, model, needs[i].instruments);
            json_member_text(json, needs[i].view, text_in(&command));
        }
    }
    json_close(json, '}');
    buffer_free(&command);
}

static struct text file_name(const struct page *page)
{
    const char *slash = strrchr(page->path, '/');
    return text_of(slash ? slash + 1 : page->path);
}

// The threads that have events in order.
static void write_stories(struct json *json, struct page *page)
{
    uint32_t count = page_threads(page);
    json_key(json, "stories");
    json_open(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        const struct page_thread thread = page_thread(page, i);
        char name[32];
        (void)snprintf(name, sizeof name, "%u:%u", thread.process, thread.thread);
        json_text(json, text_of(name));
    }
    json_close(json, ']');
}

static void write_page(struct json *json, struct page *page)
{
    struct ability abilities[ABILITIES];
    find_abilities(page->model, abilities);
    json_key(json, "page");
    json_open(json, '{');
    json_member_u64(json, "api", API);
    json_member_text(json, "file", file_name(page));
    json_member_u64(json, "generation", page->generation);
    json_member_bool(json, "growing", page->growing);
    json_key(json, "has");
    json_open(json, '{');
    for (unsigned i = 0; i < ABILITIES; i++) {
        json_member_bool(json, abilities[i].name, abilities[i].has);
    }
    json_close(json, '}');
    write_record(json, page->model, abilities);
    write_stories(json, page);
    json_close(json, '}');
}

static void write_categories(struct json *json)
{
    static const char *const names[] = {"mine", "package", "framework", "runtime", "gc", "jit", "waiting", "other"};
    json_key(json, "categories");
    json_open(json, '[');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_text(json, text_of(names[i]));
    }
    json_close(json, ']');
}

enum clew_error page_session(struct page *page, const struct page_query *query, struct json *json,
                             struct page_answer *answer)
{
    struct view view = {.out = json->out};
    struct buffer command = {0};
    (void)query; // it has no parameters
    (void)answer;
    write_page(json, page);
    json_key(json, "info");
    CLEW_TRY(view_info_json(&view, page->model));
    json->more = true;
    write_categories(json);
    CLEW_TRY(page_findings(page->model, json));
    buffer_text(&command, "clew report ");
    buffer_append(&command, page->path, strlen(page->path));
    json_member_text(json, "command", text_in(&command));
    buffer_free(&command);
    return CLEW_OK;
}

enum clew_error page_changes(struct page *page, const struct page_query *query, struct json *json,
                             struct page_answer *answer)
{
    bool bad = false;
    uint64_t since = page_query_number(query, "since", 0, UINT64_MAX, &bad);
    if (bad) {
        page_refuse(answer, 400, "since is not the number of a generation");
        return CLEW_OK;
    }
    json_member_u64(json, "generation", page->generation);
    json_member_bool(json, "growing", page->growing);
    json_member_bool(json, "replaced", page->replaced_at > since);
    return CLEW_OK;
}

// The report `slowest`: the requests that took longest, each with its logical call tree, as text and as JSON.
#include <inttypes.h>

#include "model/slowest.h"
#include "view/json/json_rows.h"
#include "view/report/report_tree.h"
#include "view/report/reports.h"
#include "view/text/format_header.h"
#include "view/text/format_method.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

enum { MOST = 10 }; // unless the user says so

static const char *const endings[] = {
    [RUN_COMPLETED] = "completed", [RUN_FAULTED] = "faulted", [RUN_CANCELLED] = "cancelled"};

static enum clew_error load(const struct view *view, struct model *model, struct slowest *out)
{
    return slowest_load(model, text_of(view->root ? view->root : ""), view->top ? view->top : MOST, view->health, out);
}

static uint64_t running_of(const struct slow_request *request)
{
    return request->tree.tree.nodes[TREE_ROOT].total;
}

// -- Text -------------------------------------------------------------------------------------------------------------

// "1: 812.345 ms  Shop.Orders.PlaceAsync(Order) (async)  [by exception]", then where and when it was.
static void print_heading(const struct view *view, const struct model *model, const struct slow_request *request,
                          uint32_t number)
{
    static const char *const marks[] = {
        [RUN_COMPLETED] = "", [RUN_FAULTED] = "  [by exception]", [RUN_CANCELLED] = "  [cancelled]"};
    char latency[FORMAT_CELL], running[FORMAT_CELL], awaiting[FORMAT_CELL];
    struct text name = model->catalog.methods[request->method].record.name;
    int used = fprintf(view->out, "\n%s%u: %s  ", format_style(view, FORMAT_BOLD), number,
                       format_ticks(latency, model, request->latency));
    (void)format_method(view, name, used > 0 ? (size_t)used : 0);
    (void)fprintf(view->out, "%s%s\n", marks[request->how], format_style(view, FORMAT_PLAIN));
    uint64_t since = model_since_start_ns(model, request->started);
    (void)fprintf(view->out, "at %" PRIu64 ".%09" PRIu64 " s on [%u], call %u:%" PRIu64 "; running %s, awaiting %s\n",
                  since / 1000000000, since % 1000000000, request->thread, request->process, request->call,
                  format_ticks(running, model, running_of(request)),
                  format_ticks(awaiting, model, tree_awaiting(&request->tree.tree, TREE_ROOT)));
}

enum clew_error view_slowest(const struct view *view, struct model *model)
{
    struct slowest slowest;
    CLEW_TRY(load(view, model, &slowest));
    enum clew_error error = CLEW_OK;
    format_header(view, model);
    for (uint32_t i = 0; i < slowest.count && error == CLEW_OK; i++) {
        print_heading(view, model, &slowest.requests[i], i + 1);
        error = tree_print_one(view, model, &slowest.requests[i].tree);
    }
    if (slowest.count == 0) {
        (void)fputs("\nNo request has ended.\n", view->out);
    }
    slowest_free(&slowest);
    return error;
}

// -- JSON -------------------------------------------------------------------------------------------------------------

static enum clew_error write_request(const struct view *view, const struct model *model, struct json *json,
                                     struct waits *waits, struct slow_request *request)
{
    json_line(json);
    json_open(json, '{');
    json_method(json, model, request->method);
    json_member_u64(json, "process", request->process);
    json_member_u64(json, "thread", request->thread);
    json_member_u64(json, "call", request->call);
    json_moment(json, model, "began_ns", request->started);
    json_member_text(json, "how", text_of(endings[request->how]));
    json_ticks(json, model, "latency_ns", request->latency, true);
    json_ticks(json, model, "running_ns", running_of(request), true);
    json_ticks(json, model, "awaiting_ns", tree_awaiting(&request->tree.tree, TREE_ROOT), true);
    json_key(json, "tree");
    json_open(json, '[');
    CLEW_TRY(tree_write(view, model, json, waits, &request->tree));
    json_close(json, ']');
    json_close(json, '}');
    return CLEW_OK;
}

enum clew_error slowest_json(const struct view *view, struct model *model, struct json *json)
{
    struct slowest slowest;
    struct waits waits = {0};
    CLEW_TRY(load(view, model, &slowest));
    enum clew_error error = CLEW_OK;
    json_key(json, "slowest");
    json_open(json, '[');
    for (uint32_t i = 0; i < slowest.count && error == CLEW_OK; i++) {
        error = write_request(view, model, json, &waits, &slowest.requests[i]);
    }
    json_close(json, ']');
    waits_fini(&waits);
    slowest_free(&slowest);
    return error;
}

// See page_findings.h. Each rule is one function over the totals of the whole session.
#include "view/page/page_findings.h"

#include <stdlib.h>

#include "base/assert.h"
#include "model/table.h"
#include "view/report/report_info.h"
#include "view/text/format_number.h"

enum {
    HOT_PERCENT = 25,    // of all own time
    PROBES_PERCENT = 20, // of all recorded time
    EXCEPTIONS_LEAST = 100,
    EXCEPTIONS_SHARE = 1000, // one in so many calls
    NAME_BYTES = 200,
};

// Totals, and the rows that lead.
struct totals {
    uint64_t own, cpu, exceptions;
    uint64_t calls; // without those that are only counted
    const struct table_method *hottest, *thrower;
};

static struct totals add_up(const struct table_methods *methods)
{
    struct totals totals = {0};
    for (uint32_t i = 0; i < methods->count; i++) {
        const struct table_method *row = &methods->rows[i];
        totals.own += row->own;
        totals.cpu += table_own_cpu(row);
        totals.calls += row->calls - row->counted;
        totals.exceptions += row->exceptions;
        totals.thrower = !totals.thrower || row->exceptions > totals.thrower->exceptions ? row : totals.thrower;
    }
    for (uint32_t i = 0; i < methods->count; i++) {
        const struct table_method *row = &methods->rows[i], *best = totals.hottest;
        bool more = best && (totals.cpu ? table_own_cpu(row) > table_own_cpu(best) : row->own > best->own);
        totals.hottest = !best || more ? row : best;
    }
    return totals;
}

static struct text name_of(const struct model *model, const struct table_method *row)
{
    struct text name = model->catalog.methods[row->method].record.name;
    name.size = name.size < NAME_BYTES ? name.size : NAME_BYTES;
    return name;
}

// "#/VIEW?method=NAME", percent-encoded.
static void write_link(struct json *json, const char *view, struct text method)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()";
    struct buffer link = {0};
    buffer_printf(&link, "#/%s%s", view, method.size ? "?method=" : "");
    for (size_t i = 0; i < method.size; i++) {
        uint8_t byte = (uint8_t)method.at[i];
        if (byte && strchr(plain, byte)) {
            buffer_u8(&link, byte);
        } else {
            buffer_printf(&link, "%%%02X", byte);
        }
    }
    json_member_text(json, "link", text_in(&link));
    buffer_free(&link);
}

static void write_finding(struct json *json, const char *rule, const struct buffer *text, const char *view,
                          struct text method)
{
    json_open(json, '{');
    json_member_text(json, "rule", text_of(rule));
    json_member_text(json, "text", text_in(text));
    write_link(json, view, method);
    json_close(json, '}');
}

static void find_hot(const struct model *model, const struct totals *totals, struct json *json, struct buffer *text)
{
    if (!totals->hottest || !model_has_times(model) || totals->own == 0) {
        return;
    }
    // Wall time includes waiting, which is nothing to look at.
    double whole = (double)(totals->cpu ? totals->cpu : totals->own);
    double part = (double)(totals->cpu ? table_own_cpu(totals->hottest) : totals->hottest->own);
    if (part * 100 < whole * HOT_PERCENT) {
        return;
    }
    const struct catalog_method *method = &model->catalog.methods[totals->hottest->method];
    struct text name = name_of(model, totals->hottest);
    buffer_clear(text);
    buffer_printf(text, "%.0f %% of %s is in ", part * 100 / whole, totals->cpu ? "the sampled CPU time" : "own time");
    buffer_append(text, name.at, name.size);
    buffer_printf(text, ", called %llu time%s.", (unsigned long long)totals->hottest->calls,
                  format_plural(totals->hottest->calls));
    write_finding(json, "hot", text, "hot", method->record.name.size == name.size ? name : text_of(""));
}

static void find_exceptions(const struct model *model, const struct totals *totals, struct json *json,
                            struct buffer *text)
{
    if (totals->exceptions < EXCEPTIONS_LEAST || totals->exceptions < totals->calls / EXCEPTIONS_SHARE) {
        return;
    }
    struct text name = name_of(model, totals->thrower);
    buffer_clear(text);
    buffer_printf(text, "%llu calls ended by an exception, %llu of them of ", (unsigned long long)totals->exceptions,
                  (unsigned long long)totals->thrower->exceptions);
    buffer_append(text, name.at, name.size);
    buffer_text(text, ".");
    write_finding(json, "exceptions", text, "hot", name);
}

static void find_probes(const struct model *model, const struct totals *totals, struct json *json, struct buffer *text)
{
    double cost = info_overhead_ns(model) * (double)totals->calls, own = (double)model_ns(model, totals->own);
    if (!model_has_times(model) || own <= 0 || cost * 100 < own * PROBES_PERCENT) {
        return;
    }
    double share = cost < own ? cost * 100 / own : 100;
    buffer_clear(text);
    buffer_printf(text, "About %.0f %% of the recorded time is the cost of recording %llu calls.", share,
                  (unsigned long long)totals->calls);
    write_finding(json, "probes", text, "overview", text_of(""));
}

static void find_gaps(const struct model *model, struct json *json, struct buffer *text)
{
    if (model->lost) {
        buffer_clear(text);
        buffer_printf(text, "%llu events were lost: totals and orders have gaps.", (unsigned long long)model->lost);
        write_finding(json, "lost", text, "overview", text_of(""));
    }
    if (model->catalog.not_woven_count) {
        buffer_clear(text);
        buffer_printf(text, "%u methods in scope were not recorded.", model->catalog.not_woven_count);
        write_finding(json, "not_woven", text, "files", text_of(""));
    }
}

static void find_counted(const struct model *model, struct json *json, struct buffer *text)
{
    uint64_t calls = 0;
    for (uint32_t i = 0; i < model->counted_count; i++) {
        calls += model->counted[i].calls;
    }
    if (calls) {
        buffer_clear(text);
        buffer_printf(
            text,
            "%llu call%s of %u method%s only counted (--tiny count): the tree does not have them, and their time "
            "is their callers' own.",
            (unsigned long long)calls, format_plural(calls), model->counted_count,
            model->counted_count == 1 ? " were" : "s were");
        write_finding(json, "counted", text, "overview", text_of(""));
    }
}

enum clew_error page_findings(const struct model *model, struct json *json)
{
    struct table_methods methods;
    struct buffer text = {0};
    CLEW_TRY(table_methods(model, &methods));
    const struct totals totals = add_up(&methods);
    CLEW_ASSERT(!methods.count == !totals.hottest);
    json_key(json, "findings");
    json_open(json, '[');
    find_hot(model, &totals, json, &text);
    find_exceptions(model, &totals, json, &text);
    find_probes(model, &totals, json, &text);
    find_gaps(model, json, &text);
    find_counted(model, json, &text);
    json_close(json, ']');
    free(methods.rows);
    buffer_free(&text);
    return CLEW_OK;
}

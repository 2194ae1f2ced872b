// The report `lines` as JSON: one object per statement, in the order of the source. doc/json.md defines the members.
#include "view/report/report_lines.h"

#include "model/lines.h"
#include "view/json/json_rows.h"

static void write_row(struct json *json, const struct model *model, const struct lines *lines,
                      const struct line_row *row)
{
    uint32_t method = catalog_find_method(&model->catalog, row->process, row->method);
    json_line(json);
    json_open(json, '{');
    json_member_text(json, "file", row->document->path);
    json_member_u64(json, "line", row->site->start_line);
    json_member_u64(json, "column", row->site->start_column);
    json_member_u64(json, "end_line", row->site->end_line);
    json_member_u64(json, "end_column", row->site->end_column);
    if (method != CATALOG_NONE) {
        json_member_text(json, "method", model->catalog.methods[method].record.name);
    }
    json_member_u64(json, "count", row->count);
    json_member_maybe(json, "own_ns", model_ns(model, row->own), lines->has_time);
    json_close(json, '}');
}

enum clew_error lines_json(const struct view *view, const struct model *model, struct json *json)
{
    struct sites *sites;
    struct lines lines = {0};
    CLEW_TRY(sites_load(model->recording, &sites));
    enum clew_error error = lines_load(model, sites, &lines);
    json_member_text(json, "lines_clock", text_of(clock_name(lines_clock(model, &lines))));
    json_key(json, "lines");
    json_open(json, '[');
    for (size_t i = 0; i < lines.count; i++) {
        write_row(json, model, &lines, &lines.rows[i]);
    }
    json_close(json, ']');
    view_merge_health(view, sites_health(sites));
    view_merge_health(view, &lines.health);
    lines_free(&lines);
    sites_free(sites);
    return error;
}

// The report `allocations` as JSON. doc/json.md defines the members; view->top limits the rows of both arrays.
#include "view/report/report_allocations.h"

#include "model/allocations.h"
#include "view/json/json_rows.h"

// Without the size of any object the number of bytes is unknown.
static void write_numbers(struct json *json, const struct allocation *row)
{
    json_key(json, "type");
    if (row->type.size) {
        json_text(json, row->type);
    } else {
        json_null(json);
    }
    json_member_u64(json, "count", row->count);
    json_member_maybe(json, "bytes", row->bytes, row->unsized < row->count);
    json_member_u64(json, "unsized", row->unsized);
}

static void write_site(struct json *json, const struct model *model, const struct allocation *row)
{
    bool line = row->document && row->site->start_line;
    json_line(json);
    json_open(json, '{');
    write_numbers(json, row);
    if (row->method != CATALOG_NONE) {
        json_method(json, model, row->method);
    }
    json_key(json, "file");
    if (line) {
        json_text(json, row->document->path);
    } else {
        json_null(json);
    }
    json_member_maybe(json, "line", row->site->start_line, line);
    json_member_u64(json, "offset", row->site->il_offset);
    json_close(json, '}');
}

static void write_all(const struct view *view, const struct model *model, const struct allocations *all,
                      struct json *json)
{
    json_key(json, "types");
    json_open(json, '[');
    for (size_t i = 0; i < all->type_count && (!view->top || i < view->top); i++) {
        json_line(json);
        json_open(json, '{');
        write_numbers(json, &all->types[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_key(json, "allocations");
    json_open(json, '[');
    for (size_t i = 0; i < all->site_count && (!view->top || i < view->top); i++) {
        write_site(json, model, &all->sites[i]);
    }
    json_close(json, ']');
}

enum clew_error allocations_json(const struct view *view, const struct model *model, struct json *json)
{
    struct sites *sites;
    struct allocations all;
    CLEW_TRY(sites_load(model->recording, &sites));
    enum clew_error error = allocations_load(model, sites, &all);
    if (error == CLEW_OK) {
        write_all(view, model, &all, json);
    }
    view_merge_health(view, sites_health(sites));
    view_merge_health(view, &all.health);
    allocations_free(&all);
    sites_free(sites);
    return error;
}

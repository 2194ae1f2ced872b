// The report `allocations`: bytes and numbers of allocated objects by type, then by type and place.
#include "base/assert.h"
#include "model/allocations.h"

#include <string.h>

#include "view/report/reports.h"
#include "view/text/columns.h"
#include "view/text/format_header.h"
#include "view/text/format_method.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"
#include "view/text/value.h"

enum {
    TYPES_DEFAULT = 20,
    SITES_DEFAULT = 40,
    PLACE_WIDTH = 28,
    METHOD_MIN = 24,
    PREFIX_WIDTH = 12 + 1 + 12 + 1 + 8 + 2
};

// If no size is known at all, shares are of the number of objects.
static void print_numbers(const struct view *view, const struct allocations *all, const struct allocation *row)
{
    char count[FORMAT_CELL], bytes[FORMAT_CELL], share[FORMAT_CELL];
    bool sized = row->unsized < row->count;
    (void)fprintf(
        view->out, "%12s %12s %8s  ", format_count(count, row->count), sized ? format_size(bytes, row->bytes) : "-",
        all->bytes ? format_share(share, row->bytes, all->bytes) : format_share(share, row->count, all->count));
}

static_assert(PREFIX_WIDTH == 36, "as wide as print_numbers() prints");

static void write_type(struct buffer *into, const struct allocation *row)
{
    if (row->type.size) {
        value_short_type(into, row->type);
    } else {
        buffer_text(into, "(type not known)");
    }
}

static void print_type(const struct view *view, const struct allocations *all, const struct allocation *row)
{
    struct buffer type = {0};
    print_numbers(view, all, row);
    write_type(&type, row);
    format_name(view, text_in(&type), PREFIX_WIDTH);
    (void)fputc('\n', view->out);
    buffer_free(&type);
}

// A row by place: the statement, the type, and the method if the terminal has room for it.
static void print_site(const struct view *view, const struct model *model, const struct allocations *all,
                       const struct allocation *row)
{
    struct buffer place = {0}, type = {0};
    struct text method = row->method == CATALOG_NONE ? text_of("?") : model->catalog.methods[row->method].record.name;
    print_numbers(view, all, row);
    if (row->document && row->site->start_line) {
        format_place(&place, row->document->path, row->site->start_line, PLACE_WIDTH);
    } else {
        buffer_printf(&place, "IL_%04x", row->site->il_offset);
    }
    format_column(view, text_in(&place), PLACE_WIDTH + 1);
    write_type(&type, row);
    size_t used = PREFIX_WIDTH + PLACE_WIDTH + 1;
    format_name(view, text_in(&type), used);
    used += columns_of(text_in(&type)) + 4;
    if (view->width == 0 || used + METHOD_MIN <= view->width) { // the line has no room for the method
        (void)fputs(" in ", view->out);
        (void)format_method(view, method, used);
    }
    (void)fputc('\n', view->out);
    buffer_free(&type);
    buffer_free(&place);
}

static void print_title(const struct view *view, const char *title, const struct allocations *all, const char *last)
{
    char whole[FORMAT_CELL];
    (void)fprintf(view->out, "\n%s%s%s\n", format_style(view, FORMAT_BOLD), title, format_style(view, FORMAT_PLAIN));
    format_whole(view, all->bytes ? format_size(whole, all->bytes) : format_count(whole, all->count),
                 all->bytes ? "the bytes of all objects" : "all objects");
    (void)fprintf(view->out, "%12s %12s %8s  %s\n", "Count", "Bytes", "Share", last);
}

static void print_more(const struct view *view, size_t count, size_t shown)
{
    char cell[FORMAT_CELL];
    if (count > shown) {
        (void)fprintf(view->out, "... %s more\n", format_count(cell, count - shown));
    }
}

static void print_all(const struct view *view, const struct model *model, const struct allocations *all)
{
    char count[FORMAT_CELL];
    size_t types = view->top ? view->top : TYPES_DEFAULT, sites = view->top ? view->top : SITES_DEFAULT;
    if (all->unsized) {
        (void)fprintf(view->out, "note: the size of %s object%s is not known and not in the bytes\n",
                      format_count(count, all->unsized), all->unsized == 1 ? "" : "s");
    }
    print_title(view, "Allocations by type", all, "Type");
    for (size_t i = 0; i < all->type_count && i < types; i++) {
        print_type(view, all, &all->types[i]);
    }
    print_more(view, all->type_count, types);
    print_title(view, "Allocations by place", all, "Place                        Type and method");
    for (size_t i = 0; i < all->site_count && i < sites; i++) {
        print_site(view, model, all, &all->sites[i]);
    }
    print_more(view, all->site_count, sites);
}

enum clew_error view_allocations(const struct view *view, struct model *model)
{
    struct sites *sites;
    struct allocations all = {0};
    CLEW_TRY(sites_load(model->recording, &sites));
    enum clew_error error = allocations_load(model, sites, &all);
    if (error == CLEW_OK) {
        format_header(view, model);
        print_all(view, model, &all);
    }
    view_merge_health(view, sites_health(sites));
    view_merge_health(view, &all.health);
    allocations_free(&all);
    sites_free(sites);
    return error;
}

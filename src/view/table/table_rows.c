// See table_rows.h.
#include "view/table/table_rows.h"

#include "base/assert.h"
#include "trace/instrument.h"
#include "view/text/format_method.h"

struct table_cell table_ticks(const struct model *model, uint64_t ticks, bool known)
{
    struct table_cell cell = table_maybe(model_ns(model, ticks), known && model_has_times(model));
    cell.clock = model->session.clock;
    return cell;
}

struct table_cell table_moment(const struct model *model, uint64_t clock)
{
    return table_maybe(model_since_start_ns(model, clock), clock && model_has_times(model));
}

void table_method_cells(const struct model *model, uint32_t index, struct table_cell cells[3])
{
    const struct catalog *catalog = &model->catalog;
    cells[0] = cells[1] = cells[2] = (struct table_cell){0};
    if (index != CATALOG_NONE) {
        CLEW_ASSERT(index < catalog->method_count);
        const struct catalog_method *method = &catalog->methods[index];
        bool known = method->module_index != CATALOG_NONE;
        cells[0] = table_text(method->record.name);
        cells[1] = table_text_maybe(known ? catalog->modules[method->module_index].name : (struct text){0});
        cells[2] = table_text(text_of(format_kind(method->record.kind)));
    }
}

enum clew_error table_source_sites(struct table_source *source)
{
    const struct model *model = source->model;
    if (!(model->session.instruments & INSTRUMENT_AT_SITES) && model->counts.sites == 0) {
        return CLEW_NOTHING_RECORDED;
    }
    return source->sites ? CLEW_OK : sites_load(model->recording, &source->sites);
}

void table_source_close(struct table_source *source)
{
    if (source->sites) {
        view_merge_health(source->view, sites_health(source->sites));
    }
    sites_free(source->sites);
    source->sites = NULL;
}

uint32_t table_columns(const struct table *table)
{
    uint32_t count = 0;
    while (table->columns[count].key || table->columns[count].title || table->columns[count].before) {
        count++;
    }
    CLEW_ASSERT(count > 0 && count <= TABLE_COLUMNS_MAX);
    return count;
}

uint32_t table_keys(const struct table *table)
{
    uint32_t count = 0;
    while (table->columns[count].key) {
        count++;
    }
    return count;
}

enum clew_error table_begin(struct table_sink *sink, const struct table *table, const struct table_head *head)
{
    static const struct table_head none;
    sink->table = table;
    bool wanted = sink->begin && (!sink->only || sink->only == table);
    return wanted ? sink->begin(sink, head ? head : &none) : CLEW_OK;
}

enum clew_error table_row(struct table_sink *sink, const struct table_cell *cells, size_t count, enum table_row how)
{
    CLEW_ASSERT(sink->table && count == table_columns(sink->table) && "a cell for each column");
    (void)count;
    return !sink->only || sink->only == sink->table ? sink->row(sink, cells, how) : CLEW_OK;
}

bool table_is_null(const struct table_column *column, const struct table_cell *cell)
{
    return cell->state != TABLE_KNOWN || (table_is_text(column) && cell->text.size == 0);
}

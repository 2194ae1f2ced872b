// See export_cells.h.
#include "view/export/export_cells.h"

#include "view/text/format_method.h"

void export_method_cells(const struct export *export, uint32_t canonical, struct export_cell cells[3])
{
    const struct catalog_method *method = &export->model->catalog.methods[canonical];
    cells[0] = export_text(method->record.name);
    cells[1] = export_text_maybe(export_module(export, canonical));
    cells[2] = export_text(text_of(format_kind(method->record.kind)));
}

struct export_cell export_ticks(const struct export *export, uint64_t ticks, bool known)
{
    return export_maybe(model_ns(export->model, ticks), known && model_has_times(export->model));
}

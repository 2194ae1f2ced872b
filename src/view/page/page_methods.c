// See page_methods.h.
#include "view/page/page_methods.h"

#include <stdlib.h>

#include "base/assert.h"
#include "model/requests.h"
#include "view/json/json_rows.h"

enum clew_error page_methods_begin(struct page_methods *methods, struct page *page, const struct model *model)
{
    size_t count = (size_t)model->catalog.method_count + 1;
    *methods = (struct page_methods){.model = model, .places = &page->places, .small = PAGE_NO_METHOD};
    CLEW_TRY(page_need_places(page));
    methods->index_of = malloc(count * sizeof *methods->index_of);
    methods->list = malloc(count * sizeof *methods->list);
    if (!methods->index_of || !methods->list) {
        page_methods_free(methods);
        return CLEW_NO_MEMORY;
    }
    memset(methods->index_of, 0xFF, count * sizeof *methods->index_of);
    return CLEW_OK;
}

void page_methods_free(struct page_methods *methods)
{
    free(methods->index_of);
    free(methods->list);
    methods->index_of = NULL;
    methods->list = NULL;
}

uint32_t page_methods_use(struct page_methods *methods, uint32_t process, uint32_t method)
{
    const struct catalog *catalog = &methods->model->catalog;
    uint32_t found = catalog_find_method(catalog, process, method);
    if (found == CATALOG_NONE) {
        return PAGE_NO_METHOD;
    }
    uint32_t index = catalog->methods[found].canonical;
    CLEW_ASSERT(index < catalog->method_count);
    if (methods->index_of[index] == PAGE_NO_METHOD) {
        methods->index_of[index] = methods->count;
        methods->list[methods->count++] = index;
    }
    return methods->index_of[index];
}

uint32_t page_methods_small(struct page_methods *methods)
{
    if (methods->small == PAGE_NO_METHOD) {
        methods->small = methods->count;
        methods->list[methods->count++] = CATALOG_NONE;
    }
    return methods->small;
}

// My code is the default scope (README.md, "Scope") and what the user chose to record.
static const char *category(const struct model *model, const struct catalog_method *method)
{
    if (method->record.method < METHOD_FIRST_REAL || method->module_index == CATALOG_NONE) {
        return "other";
    }
    const struct recording_module *module = &model->catalog.modules[method->module_index];
    if (module->flags & MODULE_FRAMEWORK) {
        return text_equal(module->name, text_of("System.Private.CoreLib")) ? "runtime" : "framework";
    }
    bool chosen = module->flags & MODULE_IN_SCOPE && !(model->session.flags & SESSION_ALL_CODE);
    return chosen || module_is_my_code(module->flags) ? "mine" : "package";
}

static void write_small(struct json *json)
{
    json_member_text(json, "name", text_of("(small)"));
    json_key(json, "module");
    json_null(json);
    json_member_text(json, "kind", text_of("method"));
    json_member_text(json, "category", text_of("other"));
    json_member_maybe(json, "process", 0, false);
    json_member_maybe(json, "id", 0, false);
    json_member_maybe(json, "document", 0, false);
    json_member_maybe(json, "line", 0, false);
}

static void write_method(const struct page_methods *methods, struct json *json, uint32_t index)
{
    const struct catalog_method *method = &methods->model->catalog.methods[index];
    bool real = method->record.method >= METHOD_FIRST_REAL;
    struct text by;
    json_member_text(json, "name", method->record.name);
    json_method_place(json, methods->model, index);
    json_member_text(json, "category", text_of(category(methods->model, method)));
    json_member_maybe(json, "process", method->record.process, real);
    json_member_maybe(json, "id", method->record.method, real);
    const struct page_place place = page_places_method(methods->places, index);
    bool placed = place.document != PAGE_NO_DOCUMENT;
    json_member_maybe(json, "document", place.document, placed);
    json_member_maybe(json, "line", place.line, placed);
    if (requests_starts(methods->model, method->record.process, method->record.method, &by)) {
        json_member_text_maybe(json, "started_by", by);
    }
}

void page_methods_write(const struct page_methods *methods, struct json *json)
{
    json_key(json, "methods");
    json_open(json, '[');
    for (uint32_t i = 0; i < methods->count; i++) {
        json_line(json);
        json_open(json, '{');
        if (methods->list[i] == CATALOG_NONE) {
            write_small(json);
        } else {
            write_method(methods, json, methods->list[i]);
        }
        json_close(json, '}');
    }
    json_close(json, ']');
}

// See story_methods.h.
#include "view/story/story_methods.h"

#include <stdlib.h>

#include "base/assert.h"
#include "view/story/story_generated.h"

// Whether the site is a statement with a line. Most answers need no site to be decoded.
static bool is_statement(const struct replay_context *context, uint32_t process, uint32_t number, uint32_t *document)
{
    struct sites_statement first;
    if (!sites_first_statement(context->sites, process, number, &first) || number < first.number) {
        return false;
    }
    *document = first.document;
    if (number == first.number) {
        return true;
    }
    const struct site *site = sites_site(context->sites, process, number);
    *document = site ? site->document : 0;
    return site && site->kind == SITE_STATEMENT && site->start_line;
}

// Whether the method's first document is noted already, and that its module has symbols: no further statement of the method
// matters then.
static bool is_known(const struct story_methods *methods, const struct catalog_method *in, uint32_t method)
{
    return methods->first_documents[method] &&
           (in->module_index == CATALOG_NONE || methods->has_symbols[in->module_index]);
}

// Notes the document of a method's first statement; sites are visited in order of their numbers.
static void note_statement(const struct replay_context *context, struct story_methods *methods, uint32_t process,
                           uint32_t number)
{
    const struct catalog *catalog = &context->model->catalog;
    uint32_t method = catalog_find_method(catalog, process, sites_method(context->sites, process, number)), document;
    if (method >= methods->count || is_known(methods, &catalog->methods[method], method) ||
        !is_statement(context, process, number, &document)) {
        return;
    }
    const struct catalog_method *in = &catalog->methods[method];
    CLEW_ASSERT(in->module_index == CATALOG_NONE || in->module_index < catalog->module_count);
    if (in->module_index != CATALOG_NONE) {
        methods->has_symbols[in->module_index] = true;
    }
    if (!methods->first_documents[method]) {
        methods->first_documents[method] = sites_document(context->sites, process, in->record.module, document);
    }
}

// One pass over all sites, when the story starts.
static void note_statements(const struct replay_context *context, struct story_methods *methods)
{
    const struct catalog *catalog = &context->model->catalog;
    for (uint32_t i = 0; i < catalog->process_count; i++) {
        uint32_t process = catalog->processes[i].process, count = sites_count(context->sites, process);
        for (uint32_t at = 0; at < count; at++) {
            note_statement(context, methods, process, sites_number(context->sites, process, at));
        }
    }
}

// In a module without symbols no method has a statement, so that proves nothing there.
static void find_generated(const struct replay_context *context, struct story_methods *methods)
{
    for (uint32_t i = 0; i < methods->count; i++) {
        const struct catalog_method *method = &context->model->catalog.methods[i];
        bool symbols = method->module_index != CATALOG_NONE && methods->has_symbols[method->module_index];
        methods->generated[i] = symbols && !methods->first_documents[i] && story_generated_method(&method->record);
    }
}

enum clew_error story_methods_load(const struct replay_context *context, struct story_methods *out)
{
    uint32_t count = context->model->catalog.method_count, modules = context->model->catalog.module_count;
    out->first_documents = calloc((size_t)count + 1, sizeof *out->first_documents);
    out->generated = calloc((size_t)count + 1, sizeof *out->generated);
    out->has_symbols = calloc((size_t)modules + 1, sizeof *out->has_symbols);
    if (!out->first_documents || !out->generated || !out->has_symbols) {
        return CLEW_NO_MEMORY;
    }
    out->count = count;
    note_statements(context, out);
    find_generated(context, out);
    return CLEW_OK;
}

void story_methods_free(struct story_methods *methods)
{
    free(methods->first_documents);
    free(methods->generated);
    free(methods->has_symbols);
}

const struct recording_document *story_methods_document(const struct story_methods *methods,
                                                        const struct replay_context *context,
                                                        const struct event_step *step)
{
    uint32_t method = replay_frame_method(context, step);
    return method < methods->count ? methods->first_documents[method] : NULL;
}

bool story_methods_generated(const struct story_methods *methods, const struct replay_context *context,
                             const struct event_step *step)
{
    uint32_t method = replay_frame_method(context, step);
    return method < methods->count && methods->generated[method];
}

bool story_methods_has_symbols(const struct story_methods *methods, const struct replay_context *context,
                               const struct event_step *step)
{
    uint32_t method = replay_site_method(context, step);
    CLEW_ASSERT(method == CATALOG_NONE || method < context->model->catalog.method_count);
    uint32_t module = method == CATALOG_NONE ? CATALOG_NONE : context->model->catalog.methods[method].module_index;
    return module != CATALOG_NONE && methods->has_symbols && methods->has_symbols[module];
}

// Modules of the program from load to unload. When the runtime has loaded a module, the agent reads its metadata from
// the mapped image, decides whether methods of it may be recorded, prepares its metadata for woven code, defines it for
// the collector, and publishes it to the other rooms (loaded/modules.h). A module that may be unloaded is freed
// afterwards.
#include "agent/control/lifecycle.h"

#include <stdlib.h>
#include <string.h>

#include "agent/events/event_source.h"
#include "agent/loaded/in_scope.h"
#include "agent/loaded/modules.h"
#include "agent/loaded/origin.h"
#include "agent/rewrite/bodies.h"
#include "agent/rewrite/emitting.h"
#include "agent/rewrite/reflected_core.h"
#include "agent/rewrite/site_definitions.h"
#include "agent/session/agent.h"
#include "agent/session/report.h"
#include "agent/types/classes.h"
#include "agent/types/type_table.h"
#include "metadata/pdb/symbols.h"
#include "metadata/tables/metadata_types.h"
#include "trace/instrument.h"

enum { PATH_UNITS = 4096 };

static bool open_image(struct module *module, const uint8_t *base, uint32_t clr_flags)
{
    enum image_layout layout = clr_flags & CLR_MODULE_FLAT ? IMAGE_FLAT : IMAGE_MAPPED;
    size_t span = base ? image_span(base, layout) : 0;
    return span && image_open(bytes_of(base, span), layout, &module->image) == CLEW_OK &&
           metadata_open(module->image.metadata, &module->metadata) == CLEW_OK;
}

// The token of RuntimeHelpers.DispatchTailCalls in the core library; 0: it has none. The runtime makes `tail.` calls
// through this method when the callee needs more room for arguments than the caller has (unwind/exceptions.c).
static uint32_t find_tail_calls(const struct metadata *metadata)
{
    uint32_t type = type_def_find(metadata, 0, text_of("System.Runtime.CompilerServices"), text_of("RuntimeHelpers"));
    return type_def_find_method(metadata, type, text_of("DispatchTailCalls"), (struct bytes){0});
}

// Prepares a module whose methods may be recorded. Returns why nothing of it is recorded, or, if its methods are in scope,
// why it has no symbols where an instrument needs them; empty: nothing is missing.
static const char *prepare(struct module *module, const char *path)
{
    if (!scope_may_have(module)) {
        return module->flags & MODULE_FRAMEWORK ? "framework"
               : module->flags & MODULE_TOOL    ? "of the SDK or of a test framework"
                                                : "out of scope";
    }
    module->method_count = metadata_rows(&module->metadata, TABLE_METHOD_DEF);
    module->methods = calloc(module->method_count ? module->method_count : 1, sizeof *module->methods);
    if (!module->methods) {
        return "no memory";
    }
    bool for_sites = scope_may_have(module) & INSTRUMENT_AT_SITES;
    if (!agent.hooks && !emitting_prepare(module, for_sites)) {
        return "the runtime does not let its metadata be extended";
    }
    enum symbols_state symbols = for_sites ? sites_prepare(module, path) : SYMBOLS_BESIDE;
    module->flags |= MODULE_IN_SCOPE;
    return symbols_match(symbols) ? "" : symbols_sentence(symbols);
}

static void define(const struct module *module, const char *path, const char *reason)
{
    struct ring_definition definition = {
        .type = RING_DEFINE_MODULE,
        .module = module->number,
        .flags = module->flags,
        .name = module->assembly,
        .path = text_of(path),
        .reason = text_of(reason),
    };
    (void)metadata_mvid(&module->metadata, definition.mvid);
    (void)report_definition(&definition);
}

static void module_free(struct module *module)
{
    emitting_end(module);
    sites_forget(module);
    bodies_free(module);
    names_free(module->names);
    free(module->methods);
    free(module->named);
    free(module->starts);
    free(module->resolved);
    (void)pthread_mutex_destroy(&module->lock);
    free(module);
}

void modules_loaded(clr_id id)
{
    clr_char units[PATH_UNITS] = {0};
    const uint8_t *base = NULL;
    uint32_t length = 0, clr_flags = 0;
    clr_id assembly;
    struct module *module = calloc(1, sizeof *module);
    if (!module) {
        return;
    }
    bool known = !clr_failed(info_get_module(agent.info, id, &base, PATH_UNITS, &length, units, &assembly, &clr_flags));
    struct buffer path = {0};
    buffer_utf16(&path, units, known && length && length <= PATH_UNITS ? length - 1 : 0);
    buffer_u8(&path, 0);
    module->id = id;
    module->number = atomic_fetch_add_explicit(&agent.next_module, 1, memory_order_relaxed) + 1;
    module->flags = clr_flags & CLR_MODULE_COLLECTIBLE ? MODULE_COLLECTIBLE : 0;
    (void)pthread_mutex_init(&module->lock, NULL); // cannot fail with default attributes
    const char *where = path.failed ? "" : (const char *)path.data;
    const char *reason = !known                           ? "the runtime gives no information about it"
                         : clr_flags & CLR_MODULE_DYNAMIC ? "made at run time"
                                                          : "its image is not understood";
    if (known && !(clr_flags & CLR_MODULE_DYNAMIC) && open_image(module, base, clr_flags)) {
        module->assembly = metadata_assembly_name(&module->metadata);
        module->tail_calls = module_is_core_library(module) ? find_tail_calls(&module->metadata) : 0;
        bool events = module_is_core_library(module) && agent.instruments & INSTRUMENT_VALUES;
        module->event_callback = events ? event_source_callback(&module->metadata) : 0;
        if (module_is_core_library(module)) {
            reflected_core_readers(&module->metadata, module->body_readers);
        }
        module->flags |= origin_flags(module, where);
        reason = prepare(module, where);
    }
    define(module, where, reason);
    if (!module_publish(module)) {
        module_free(module);
    }
    buffer_free(&path);
}

void modules_unloading(clr_id id)
{
    // The runtime unmaps the image after this callback, so the agent forgets everything that points into it.
    struct module *module = module_find(id);
    if (module) {
        classes_forget(module);
        module_withdraw(module);
        type_table_forget(module);
        (void)report_definition(&(struct ring_definition){.type = RING_DEFINE_MODULE_END, .module = module->number});
    }
}

void modules_unloaded(clr_id id)
{
    struct module *module = module_take_withdrawn(id);
    // A module that is not collectible comes here only if its load failed. Its types were not forgotten, so it is not
    // freed.
    if (module && module->flags & MODULE_COLLECTIBLE) {
        module_free(module);
    }
}

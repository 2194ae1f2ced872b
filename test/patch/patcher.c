// A small profiler that replaces one opcode in one method of a running program, to test il/patch.h inside the runtime.
// PATCH_METHOD is the method's simple name, PATCH_FROM and PATCH_TO are the opcodes.
#include <stdlib.h>
#include <string.h>

#include "clr/profiling.h"
#include "il/patch.h"
#include "metadata/tables/image.h"
#include "metadata/tables/metadata.h"

static void *info;

// Whether the method has the wanted name in the module's metadata.
static int is_wanted(clr_id module, uint32_t token)
{
    const uint8_t *base;
    uint32_t length, flags;
    clr_char path[1024];
    clr_id assembly;
    struct image image;
    struct metadata metadata;
    struct metadata_method method;
    if (clr_failed(info_get_module(info, module, &base, 1024, &length, path, &assembly, &flags))) {
        return 0;
    }
    enum image_layout layout = flags & CLR_MODULE_FLAT ? IMAGE_FLAT : IMAGE_MAPPED;
    return base && image_open(bytes_of(base, image_span(base, layout)), layout, &image) == CLEW_OK &&
           metadata_open(image.metadata, &metadata) == CLEW_OK && metadata_method(&metadata, token, &method) &&
           text_equal(method.name, text_of(getenv("PATCH_METHOD")));
}

static void patch(clr_id module, uint32_t token)
{
    struct il_patch what = {.occurrence = 0};
    const uint8_t *original;
    uint32_t size, offset;
    if (!il_opcode_from_name(getenv("PATCH_FROM"), &what.from) || !il_opcode_from_name(getenv("PATCH_TO"), &what.to) ||
        clr_failed(info_get_il(info, module, token, &original, &size))) {
        return;
    }
    uint8_t *copy = malloc(size);
    if (copy) {
        memcpy(copy, original, size);
        if (il_patch_body(copy, size, &what, &offset) == CLEW_OK) {
            (void)info_set_il(info, module, token, copy); // a failure shows in the test's output
        }
    }
}

static clr_result on_initialize(void *object, void *unknown)
{
    (void)object;
    clr_result result = clr_query(unknown, &clr_iid_info5, &info);
    return clr_failed(result) ? result : info_set_event_mask2(info, CLR_MONITOR_JIT_COMPILATION, 0);
}

static clr_result on_compile(void *object, clr_id function, int32_t safe_to_block)
{
    clr_id type, module;
    uint32_t token;
    (void)object;
    (void)safe_to_block;
    if (!clr_failed(info_get_function(info, function, &type, &module, &token)) && is_wanted(module, token)) {
        patch(module, token);
    }
    return CLR_OK;
}

static clr_result query(void *object, const struct clr_guid *id, void **out)
{
    (void)id;
    *out = object;
    return CLR_OK;
}

static clr_result succeed(void)
{
    return CLR_OK;
}

typedef void (*slot)(void);
static slot callbacks[CLR_CB_COUNT];
static slot *callback_object = callbacks;

static clr_result create(void *object, void *outer, const struct clr_guid *id, void **out)
{
    (void)object;
    (void)outer;
    return query(&callback_object, id, out);
}

static const slot factory[] = {(slot)query, (slot)succeed, (slot)succeed, (slot)create, (slot)succeed};
static const slot *factory_object = factory;

__attribute__((visibility("default"))) clr_result DllGetClassObject(const struct clr_guid *class_id,
                                                                    const struct clr_guid *id, void **out);

clr_result DllGetClassObject(const struct clr_guid *class_id, const struct clr_guid *id, void **out)
{
    (void)class_id;
    for (size_t i = 0; i < CLR_CB_COUNT; i++) {
        callbacks[i] = (slot)succeed;
    }
    callbacks[CLR_CB_QUERY_INTERFACE] = (slot)query;
    callbacks[CLR_CB_INITIALIZE] = (slot)on_initialize;
    callbacks[CLR_CB_JIT_COMPILATION_STARTED] = (slot)on_compile;
    return query(&factory_object, id, out);
}

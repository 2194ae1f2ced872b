// Calls through the vtables of the profiling interfaces.
#include "clr/profiling.h"

#include <string.h>
#include <uchar.h>

const struct clr_guid clr_iid_unknown = {0, 0, 0, {0xC0, 0, 0, 0, 0, 0, 0, 0x46}};
const struct clr_guid clr_iid_class_factory = {1, 0, 0, {0xC0, 0, 0, 0, 0, 0, 0, 0x46}};
const struct clr_guid clr_iid_info5 = {0x07602928, 0xCE38, 0x4B83, {0x81, 0xE7, 0x74, 0xAD, 0xAF, 0x78, 0x12, 0x14}};
const struct clr_guid clr_iid_info9 = {0x008170DB, 0xF8CC, 0x4796, {0x9A, 0x51, 0xDC, 0x8A, 0xA0, 0xB4, 0x70, 0x12}};
const struct clr_guid clr_iid_info12 = {0x27B24CCD, 0x1CB1, 0x47C5, {0x96, 0xEE, 0x98, 0x19, 0x0D, 0xC3, 0x09, 0x59}};
const struct clr_guid clr_iid_info13 = {0x6E6C7EE2, 0x0701, 0x4EC2, {0x9D, 0x29, 0x2E, 0x87, 0x33, 0xB6, 0x69, 0x34}};
const struct clr_guid clr_iid_metadata_emit = {
    0xBA3FEE4C, 0xECB9, 0x4E41, {0x83, 0xB7, 0x18, 0x3F, 0xA4, 0x1C, 0xD8, 0x59}};

const struct clr_guid clr_iid_assembly_emit = {
    0x211EF15B, 0x5317, 0x4438, {0xB1, 0x96, 0xDE, 0xC8, 0x7B, 0x88, 0x76, 0x93}};

static const struct clr_guid callbacks[] = {
    {0x176FBED1, 0xA55C, 0x4796, {0x98, 0xCA, 0xA9, 0xDA, 0x0E, 0xF8, 0x83, 0xE7}}, // ICorProfilerCallback
    {0x8A8CC829, 0xCCF2, 0x49FE, {0xBB, 0xAE, 0x0F, 0x02, 0x22, 0x28, 0x07, 0x1A}}, // 2
    {0x4FD2ED52, 0x7731, 0x4B8D, {0x94, 0x69, 0x03, 0xD2, 0xCC, 0x30, 0x86, 0xC5}}, // 3
    {0x7B63B2E3, 0x107D, 0x4D48, {0xB2, 0xF6, 0xF6, 0x1E, 0x22, 0x94, 0x70, 0xD2}}, // 4
    {0x8DFBA405, 0x8C9F, 0x45F8, {0xBF, 0xFA, 0x83, 0xB1, 0x4C, 0xEF, 0x78, 0xB5}}, // 5
    {0xFC13DF4B, 0x4448, 0x4F4F, {0x95, 0x0C, 0xBA, 0x8D, 0x19, 0xD0, 0x0C, 0x36}}, // 6
    {0xF76A2DBA, 0x1D52, 0x4539, {0x86, 0x6C, 0x2A, 0xA5, 0x18, 0xF9, 0xEF, 0xC3}}, // 7
    {0x5BED9B15, 0xC079, 0x4D47, {0xBF, 0xE2, 0x21, 0x5A, 0x14, 0x0C, 0x07, 0xE0}}, // 8
    {0x27583EC3, 0xC8F5, 0x482F, {0x80, 0x52, 0x19, 0x4B, 0x8C, 0xE4, 0x70, 0x5A}}, // 9
    {0xCEC5B60E, 0xC69C, 0x495F, {0x87, 0xF6, 0x84, 0xD2, 0x8E, 0xE1, 0x6F, 0xFB}}, // 10
    {0x42350846, 0xAAED, 0x47F7, {0xB1, 0x28, 0xFD, 0x0C, 0x98, 0x88, 0x1C, 0xDE}}, // 11
};

int clr_guid_equal(const struct clr_guid *a, const struct clr_guid *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

int clr_is_callback(const struct clr_guid *id)
{
    for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++) {
        if (clr_guid_equal(id, &callbacks[i])) {
            return 1;
        }
    }
    return clr_guid_equal(id, &clr_iid_unknown);
}

// SLOT(object, slot, types...) is the method in a slot, as a function that takes the object and arguments of these types.
typedef void (*clr_method)(void);

static clr_method method_at(void *object, unsigned slot)
{
    return (*(clr_method **)object)[slot];
}

#define SLOT(object, slot, ...) ((clr_result(*)(void *, __VA_ARGS__))method_at(object, slot))

clr_result clr_query(void *object, const struct clr_guid *id, void **out)
{
    return SLOT(object, 0, const struct clr_guid *, void **)(object, id, out);
}

uintptr_t clr_method_address(void *object)
{
    return (uintptr_t)method_at(object, 0);
}

void clr_release(void *object)
{
    ((uint32_t(*)(void *))method_at(object, 2))(object);
}

clr_result info_get_current_thread(void *info, clr_id *thread)
{
    return SLOT(info, 13, clr_id *)(info, thread);
}

clr_result info_get_function(void *info, clr_id function, clr_id *type, clr_id *module, uint32_t *token)
{
    return SLOT(info, 15, clr_id, clr_id *, clr_id *, uint32_t *)(info, function, type, module, token);
}

clr_result info_find_function(void *info, clr_id module, uint32_t token, clr_id *function)
{
    return SLOT(info, 8, clr_id, uint32_t, clr_id *)(info, module, token, function);
}

clr_result info_get_function_arguments(void *info, clr_id function, clr_id *class, uint32_t size, uint32_t *count,
                                       clr_id *arguments)
{
    clr_id module;
    uint32_t token;
    return SLOT(info, 38, clr_id, uintptr_t, clr_id *, clr_id *, uint32_t *, uint32_t, uint32_t *,
                clr_id *)(info, function, 0, class, &module, &token, size, count, arguments);
}

clr_result info_find_instantiation(void *info, clr_id module, uint32_t token, clr_id class, uint32_t count,
                                   clr_id *arguments, clr_id *function)
{
    return SLOT(info, 44, clr_id, uint32_t, clr_id, uint32_t, clr_id *, clr_id *)(info, module, token, class, count,
                                                                                  arguments, function);
}

clr_result info_get_class(void *info, clr_id class, clr_id *module, uint32_t *token)
{
    return SLOT(info, 14, clr_id, clr_id *, uint32_t *)(info, class, module, token);
}

clr_result info_load_class(void *info, clr_id module, uint32_t token, clr_id *class)
{
    return SLOT(info, 4, clr_id, uint32_t, clr_id *)(info, module, token, class);
}

clr_result info_get_layout(void *info, clr_id class, uint32_t size, struct clr_field *fields, uint32_t *count,
                           uint32_t *bytes)
{
    return SLOT(info, 40, clr_id, struct clr_field *, uint32_t, uint32_t *, uint32_t *)(info, class, fields, size,
                                                                                        count, bytes);
}

clr_result info_get_fields(void *info, clr_id class, uint32_t size, struct clr_field *fields, uint32_t *count)
{
    uint32_t bytes;
    return info_get_layout(info, class, size, fields, count, &bytes);
}

clr_result info_get_array(void *info, clr_id class, uint32_t *element, clr_id *item, uint32_t *rank)
{
    return SLOT(info, 11, clr_id, uint32_t *, clr_id *, uint32_t *)(info, class, element, item, rank);
}

clr_result info_get_class_arguments(void *info, clr_id class, clr_id *module, uint32_t *token, uint32_t size,
                                    uint32_t *count, clr_id *arguments)
{
    return SLOT(info, 41, clr_id, clr_id *, uint32_t *, clr_id *, uint32_t, uint32_t *,
                clr_id *)(info, class, module, token, NULL, size, count, arguments);
}

clr_result info_get_parent(void *info, clr_id class, clr_id *parent)
{
    clr_id module;
    uint32_t token, count;
    return SLOT(info, 41, clr_id, clr_id *, uint32_t *, clr_id *, uint32_t, uint32_t *,
                clr_id *)(info, class, &module, &token, parent, 0, &count, NULL);
}

clr_result info_get_heap(void *info, uint32_t size, uint32_t *count, struct clr_heap_range *ranges)
{
    return SLOT(info, 54, uint32_t, uint32_t *, struct clr_heap_range *)(info, size, count, ranges);
}

clr_result info_get_clause(void *info, struct clr_clause *clause)
{
    return SLOT(info, 56, struct clr_clause *)(info, clause);
}

clr_result info_walk_stack(void *info, clr_frame_seen *seen, void *data)
{
    const clr_id own_thread = 0;
    return SLOT(info, 36, clr_id, clr_frame_seen *, uint32_t, void *, uint8_t *, uint32_t)(info, own_thread, seen, 0,
                                                                                           data, NULL, 0);
}

clr_result info_set_event_mask2(void *info, uint32_t low, uint32_t high)
{
    return SLOT(info, 82, uint32_t, uint32_t)(info, low, high);
}

clr_result info_get_module(void *info, clr_id module, const uint8_t **base, uint32_t size, uint32_t *length,
                           clr_char *name, clr_id *assembly, uint32_t *flags)
{
    return SLOT(info, 70, clr_id, const uint8_t **, uint32_t, uint32_t *, clr_char *, clr_id *,
                uint32_t *)(info, module, base, size, length, name, assembly, flags);
}

clr_result info_get_module_emit(void *info, clr_id module, void **emit)
{
    const uint32_t of_write = 1; // ofWrite of CorOpenFlags
    return SLOT(info, 21, clr_id, uint32_t, const struct clr_guid *, void **)(info, module, of_write,
                                                                              &clr_iid_metadata_emit, emit);
}

clr_result info_get_il(void *info, clr_id module, uint32_t token, const uint8_t **header, uint32_t *size)
{
    return SLOT(info, 22, clr_id, uint32_t, const uint8_t **, uint32_t *)(info, module, token, header, size);
}

clr_result info_set_il(void *info, clr_id module, uint32_t token, const void *header)
{
    return SLOT(info, 24, clr_id, uint32_t, const void *)(info, module, token, header);
}

clr_result info_set_il_map(void *info, clr_id function, uint32_t count, struct clr_il_map *map)
{
    const int32_t start_jit = 1; // ignored by CoreCLR
    return SLOT(info, 29, clr_id, int32_t, uint32_t, struct clr_il_map *)(info, function, start_jit, count, map);
}

clr_result info_set_function_mapper(void *info, uintptr_t (*mapper)(clr_id, void *, int32_t *), void *context)
{
    return SLOT(info, 59, uintptr_t(*)(clr_id, void *, int32_t *), void *)(info, mapper, context);
}

clr_result info_set_hooks(void *info, void (*enter)(void), void (*leave)(void), void (*tailcall)(void))
{
    return SLOT(info, 61, void (*)(void), void (*)(void), void (*)(void))(info, enter, leave, tailcall);
}

clr_result info_get_runtime(void *info, uint16_t *major, uint16_t *minor, uint16_t *build)
{
    uint16_t instance, revision;
    uint32_t type;
    return SLOT(info, 67, uint16_t *, uint32_t *, uint16_t *, uint16_t *, uint16_t *, uint16_t *, uint32_t, uint32_t *,
                clr_char *)(info, &instance, &type, major, minor, build, &revision, 0, NULL, NULL);
}

clr_result info_get_codes(void *info, clr_id function, uint32_t size, uint32_t *count, uintptr_t *addresses)
{
    const uintptr_t first_body = 0; // no other than that of the module, or what SetILFunctionBody has put in its place
    return SLOT(info, 90, clr_id, uintptr_t, uint32_t, uint32_t *, uintptr_t *)(info, function, first_body, size, count,
                                                                                addresses);
}

clr_result info_get_code_parts(void *info, uintptr_t address, uint32_t size, uint32_t *count,
                               struct clr_code_part *parts)
{
    return SLOT(info, 92, uintptr_t, uint32_t, uint32_t *, struct clr_code_part *)(info, address, size, count, parts);
}

clr_result info_start_events(void *info, const struct clr_event_source *source, uint64_t *session)
{
    const int32_t rundown = 0;
    return SLOT(info, 101, uint32_t, const struct clr_event_source *, int32_t, uint64_t *)(info, 1, source, rundown,
                                                                                           session);
}

clr_result info_create_pin(void *info, clr_id object, void **handle)
{
    const int32_t pinned = 3; // COR_PRF_HANDLE_TYPE_PINNED
    return SLOT(info, 108, clr_id, int32_t, void **)(info, object, pinned, handle);
}

clr_result info_destroy_handle(void *info, void *handle)
{
    return SLOT(info, 109, void *)(info, handle);
}

clr_result emit_type_ref(void *emit, uint32_t scope, const clr_char *name, uint32_t *token)
{
    return SLOT(emit, 12, uint32_t, const clr_char *, uint32_t *)(emit, scope, name, token);
}

// ASSEMBLYMETADATA of cor.h.
struct assembly_version {
    uint16_t major, minor, build, revision;
    clr_char *locale;
    uint32_t locale_size;
    uint32_t *processors;
    uint32_t processor_count;
    void *systems;
    uint32_t system_count;
};

clr_result emit_core_reference(void *emit, uint32_t *token)
{
    static const char16_t name[] = u"" CLR_CORE_LIBRARY;
    static const uint8_t key_token[] = {0x7C, 0xEC, 0x85, 0xD7, 0xBE, 0xA7, 0x79, 0x8E};
    const struct assembly_version any = {
        0}; // version 0: every runtime's core library is newer, which satisfies the reference
    void *assembly_emit;
    clr_result result = clr_query(emit, &clr_iid_assembly_emit, &assembly_emit);
    if (!clr_failed(result)) {
        result = SLOT(assembly_emit, 4, const void *, uint32_t, const clr_char *, const struct assembly_version *,
                      const void *, uint32_t, uint32_t, uint32_t *)(assembly_emit, key_token, sizeof key_token,
                                                                    (const clr_char *)name, &any, NULL, 0, 0, token);
        clr_release(assembly_emit);
    }
    return result;
}

clr_result emit_signature(void *emit, const void *blob, uint32_t size, uint32_t *token)
{
    return SLOT(emit, 23, const void *, uint32_t, uint32_t *)(emit, blob, size, token);
}

clr_result emit_type_spec(void *emit, const void *blob, uint32_t size, uint32_t *token)
{
    return SLOT(emit, 26, const void *, uint32_t, uint32_t *)(emit, blob, size, token);
}

#include "agent/rewrite/native_code.h"

#include <link.h>

#include "agent/loaded/methods.h"
#include "agent/loaded/suspending.h"
#include "agent/probe/probe_frames.h"
#include "agent/probe/probe_links.h"
#include "agent/session/agent.h"

enum { CODES_MAX = 64, PARTS_MAX = 4 };

// Of a library that is loaded, for dl_iterate_phdr(): `data` is code with one address in it, which becomes all of the segment that
// has it. Returns whether this library has it.
static int find_segment(struct dl_phdr_info *library, size_t size, void *data)
{
    struct frame_code *code = data;
    (void)size;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
        struct frame_code whole = {library->dlpi_addr + segment->p_vaddr, segment->p_memsz};
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X && frames_is_in(whole, code->start)) {
            *code = whole;
            return 1;
        }
    }
    return 0;
}

void native_code_find_runtime(void)
{
    struct frame_code code = {.start = clr_method_address(agent.info)};
    if (dl_iterate_phdr(find_segment, &code)) {
        frames_set_runtime(code);
    }
}

// Runtimes that suspend methods have it. Queried once; several threads may do so at first.
static void *codes_info(void)
{
    static _Atomic(void *) known;
    void *info = atomic_load_explicit(&known, memory_order_acquire);
    if (!info && !clr_failed(clr_query(agent.info, &clr_iid_info9, &info))) {
        atomic_store_explicit(&known, info, memory_order_release);
    }
    return info;
}

static void add_code(void *info, uint32_t method, uintptr_t address)
{
    struct clr_code_part parts[PARTS_MAX];
    uint32_t count = 0;
    if (clr_failed(info_get_code_parts(info, address, PARTS_MAX, &count, parts))) {
        return;
    }
    for (uint32_t i = 0; i < count && i < PARTS_MAX; i++) {
        frames_add_code(method, parts[i].start, parts[i].size);
    }
}

void native_code_compiled(clr_id function)
{
    uint32_t token;
    const struct module *module = agent.suspends && !agent.hooks ? module_of_function(function, &token) : NULL;
    if (module) {
        (void)suspending_is_task_entry(function, module, token); // remembers those of generic methods
    }
    uint32_t method = method_number(function) & RING_METHOD_NUMBER, count = 0;
    if (!method || !links_suspends(method)) {
        return;
    }
    uintptr_t codes[CODES_MAX];
    void *info = codes_info();
    if (info && !clr_failed(info_get_codes(info, function, CODES_MAX, &count, codes))) {
        for (uint32_t i = 0; i < count && i < CODES_MAX; i++) {
            add_code(info, method, codes[i]);
        }
    }
}

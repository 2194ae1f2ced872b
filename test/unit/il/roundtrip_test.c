// Every method of the assemblies that are installed: decoded, encoded and decoded again it is the same but for widened
// branches, it verifies, and it still verifies with a probe before every instruction. By default some methods of each
// assembly; all of them with CLEW_SLOW=1.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "il/verify.h"
#include "metadata/tables/image.h"

enum { FRAMEWORK_STEP = 3, SDK_STEP = 40, IMPL_CODE_TYPE = 3, PATH_SIZE = 1024 };

struct totals {
    unsigned long assemblies, methods, instructions, regions, widened, failed;
};

struct subject {
    const char *path;
    const struct metadata *metadata;
    uint32_t token;
    struct totals *totals;
};

static void complain(const struct subject *subject, const char *what)
{
    if (subject->totals->failed++ < 20) {
        fprintf(stderr, "%s %08x: %s\n", subject->path, (unsigned)subject->token, what);
    }
}

static const struct il_instruction *place_of(const struct il_body *other, const struct il_body *body,
                                             const struct il_instruction *instruction)
{
    return &other->originals[instruction - body->originals];
}

static bool same_operand(const struct il_body *a, const struct il_body *b, const struct il_instruction *x,
                         const struct il_instruction *y)
{
    if (il_is_branch(x->opcode)) {
        return place_of(b, a, x->operand.branch) == y->operand.branch;
    }
    if (x->opcode != IL_SWITCH) {
        return x->operand.integer == y->operand.integer;
    }
    if (x->operand.table.count != y->operand.table.count) {
        return false;
    }
    for (uint32_t i = 0; i < x->operand.table.count; i++) {
        if (place_of(b, a, x->operand.table.targets[i]) != y->operand.table.targets[i]) {
            return false;
        }
    }
    return true;
}

static bool same_region(const struct il_body *a, const struct il_body *b, uint32_t index)
{
    const struct il_region *x = &a->regions[index];
    const struct il_region *y = &b->regions[index];
    return x->kind == y->kind && x->type_token == y->type_token && place_of(b, a, x->try_start) == y->try_start &&
           place_of(b, a, x->try_end) == y->try_end && place_of(b, a, x->handler_start) == y->handler_start &&
           place_of(b, a, x->handler_end) == y->handler_end &&
           (x->kind != IL_FILTER || place_of(b, a, x->filter_start) == y->filter_start);
}

// `opcodes` are those of `a` before encoding.
static bool same(const struct il_body *a, const struct il_body *b, const uint16_t *opcodes, struct totals *totals)
{
    if (a->instruction_count != b->instruction_count || a->region_count != b->region_count ||
        a->max_stack != b->max_stack || a->init_locals != b->init_locals || a->locals_token != b->locals_token) {
        return false;
    }
    for (uint32_t i = 0; i < a->instruction_count; i++) {
        const struct il_instruction *x = &a->originals[i];
        const struct il_instruction *y = &b->originals[i];
        if (x->opcode != y->opcode || x->position != y->offset || !same_operand(a, b, x, y)) {
            return false;
        }
        if (x->opcode != opcodes[i]) {
            totals->widened++;
            if (x->opcode != il_long_branch((enum il_opcode)opcodes[i])) {
                return false;
            }
        }
    }
    for (uint32_t i = 0; i < a->region_count; i++) {
        if (!same_region(a, b, i)) {
            return false;
        }
    }
    return true;
}

static uint16_t *note_opcodes(const struct il_body *body, struct arena *arena)
{
    uint16_t *opcodes = arena_alloc(arena, (body->instruction_count + 1) * sizeof *opcodes);
    for (uint32_t i = 0; opcodes && i < body->instruction_count; i++) {
        opcodes[i] = (uint16_t)body->originals[i].opcode;
    }
    return opcodes;
}

static void verify(const struct subject *subject, const struct il_body *body)
{
    struct il_tokens tokens = {.metadata = subject->metadata};
    struct il_method_shape shape;
    const char *reason = "no shape";
    if (il_shape(subject->metadata, subject->token, &shape) != CLEW_OK ||
        il_local_count(&tokens, body->locals_token, &shape.local_count) != CLEW_OK ||
        il_verify(body, &shape, &tokens, &reason) != CLEW_OK) {
        complain(subject, reason);
    }
}

static bool ends_tail_call(const struct il_instruction *instruction)
{
    const struct il_instruction *call = instruction->previous;
    for (const struct il_instruction *at = call ? call->previous : NULL; at && il_is_prefix(at->opcode);
         at = at->previous) {
        if (at->opcode == IL_TAIL) {
            return instruction->opcode == IL_RET;
        }
    }
    return false;
}

static void insert_everywhere(struct il_body *body)
{
    for (uint32_t i = 0; i < body->instruction_count && body->originals[i].opcode != IL_END; i++) {
        struct il_instruction *place = &body->originals[i];
        if (il_unit_start(place) != place || ends_tail_call(place)) {
            continue;
        }
        struct il_instruction *push = il_new(body, IL_LDC_I4, (int32_t)i);
        il_insert_before(body, place, push);
        il_insert_before(body, place, il_new(body, IL_POP, 0));
        il_move_labels(body, place, push);
    }
    body->max_stack++;
}

static void check_method(const struct subject *subject, struct bytes bytes)
{
    struct totals *totals = subject->totals;
    struct arena arena = {0};
    struct buffer first = {0};
    struct buffer second = {0};
    struct il_body body;
    struct il_body again;
    size_t size;
    totals->methods++;
    if (il_body_size(bytes, &size) != CLEW_OK || il_decode(bytes_of(bytes.at, size), &arena, &body) != CLEW_OK) {
        complain(subject, "does not decode");
        arena_free(&arena);
        return;
    }
    totals->instructions += body.instruction_count;
    totals->regions += body.region_count;
    verify(subject, &body);
    uint16_t *opcodes = note_opcodes(&body, &arena);
    if (il_encode(&body, &first) != CLEW_OK || il_decode(bytes_of(first.data, first.size), &arena, &again) != CLEW_OK ||
        !same(&body, &again, opcodes, totals)) {
        complain(subject, "comes back different");
    } else {
        insert_everywhere(&again);
        if (il_encode(&again, &second) != CLEW_OK ||
            il_decode(bytes_of(second.data, second.size), &arena, &again) != CLEW_OK) {
            complain(subject, "does not decode with probes");
        } else {
            verify(subject, &again);
        }
    }
    buffer_free(&first);
    buffer_free(&second);
    arena_free(&arena);
}

static void check_image(const char *path, struct bytes bytes, unsigned step, struct totals *totals)
{
    struct image image;
    struct metadata metadata;
    if (image_open(bytes, IMAGE_FLAT, &image) != CLEW_OK || metadata_open(image.metadata, &metadata) != CLEW_OK) {
        return; // not .NET
    }
    totals->assemblies++;
    uint32_t rows = metadata_rows(&metadata, TABLE_METHOD_DEF);
    for (uint32_t row = 1; row <= rows; row += step) {
        struct metadata_method method;
        struct bytes body;
        struct subject subject = {path, &metadata, TOKEN(TABLE_METHOD_DEF, row), totals};
        if (metadata_method(&metadata, subject.token, &method) && method.rva != 0 &&
            (method.impl_flags & IMPL_CODE_TYPE) == 0 && image_at(&image, method.rva, &body)) {
            check_method(&subject, body);
        }
    }
}

static void check_file(const char *path, unsigned step, struct totals *totals)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        void *start = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (start != MAP_FAILED) {
            check_image(path, bytes_of(start, size), step, totals);
            munmap(start, size);
        }
    }
    if (file >= 0) {
        close(file);
    }
}

static void check_pattern(const char *pattern, unsigned step, struct totals *totals)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            check_file(found.gl_pathv[i], step, totals);
        }
        globfree(&found);
    }
}

// Lines are `Name Version [folder]` or `Version [folder]`; the assemblies are in folder/Version, for the SDK deeper.
static void check_listed(const char *command, const char *deeper, unsigned step, struct totals *totals)
{
    FILE *list = popen(command, "r");
    char line[PATH_SIZE];
    while (list && fgets(line, sizeof line, list)) {
        char *folder = strchr(line, '[');
        char *end = folder ? strchr(folder, ']') : NULL;
        if (!end) {
            continue;
        }
        *end = '\0';
        folder[-1] = '\0';
        char *version = strrchr(line, ' ');
        version = version ? version + 1 : line;
        char pattern[2 * PATH_SIZE];
        snprintf(pattern, sizeof pattern, "%s/%s/%s*.dll", folder + 1, version, deeper);
        check_pattern(pattern, step, totals);
    }
    if (list) {
        pclose(list);
    }
}

static void report(const struct totals *totals)
{
    print_message("%lu assemblies, %lu methods, %lu instructions, %lu regions, %lu branches widened, %lu failed\n",
                  totals->assemblies, totals->methods, totals->instructions, totals->regions, totals->widened,
                  totals->failed);
    assert_int_equal(totals->failed, 0);
}

static unsigned step_of(unsigned usual)
{
    const char *slow = getenv("CLEW_SLOW");
    return slow && strcmp(slow, "1") == 0 ? 1 : usual;
}

static void bodies_of_the_framework_encode_to_themselves(void **state)
{
    (void)state;
    struct totals totals = {0};
    check_listed("dotnet --list-runtimes 2>/dev/null", "", step_of(FRAMEWORK_STEP), &totals);
    report(&totals);
    if (totals.methods == 0) {
        skip(); // no dotnet here
    }
}

static void bodies_of_the_compilers_encode_to_themselves(void **state)
{
    (void)state;
    struct totals totals = {0};
    check_listed("dotnet --list-sdks 2>/dev/null", "Roslyn/bincore/", step_of(SDK_STEP), &totals);
    check_listed("dotnet --list-sdks 2>/dev/null", "FSharp/", step_of(SDK_STEP), &totals);
    check_listed("dotnet --list-sdks 2>/dev/null", "", step_of(SDK_STEP), &totals);
    report(&totals);
    if (totals.methods == 0) {
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_the_framework_encode_to_themselves),
        cmocka_unit_test(bodies_of_the_compilers_encode_to_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

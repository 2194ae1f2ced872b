// Reads any bytes as sites, types and names of tuple items of a recording. The readers must end and stay within bounds.
// Writing and reading the result again must give the same.
#include <stdlib.h>

#include "base/arena.h"
#include "trace/payload.h"
#include "trace/tuple_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SITES_MAX = 200, ITEMS_MAX = 10, DEPTH_MAX = 2 };

static void require(bool promise)
{
    if (!promise) {
        abort();
    }
}

static struct text written(const struct buffer *buffer)
{
    return (struct text){(const char *)buffer->data, buffer->size};
}

// Texts must be borrowed from the input.
static void require_within(struct text part, struct text whole)
{
    require(part.size == 0 || (part.at >= whole.at && part.size <= (size_t)(whole.at + whole.size - part.at)));
}

// Walks names of tuple items as deep as they nest, through fields and arguments.
static void walk_names(struct text names, unsigned depth)
{
    for (uint32_t i = 0; depth > 0 && names.size > 0 && i < ITEMS_MAX; i++) {
        struct text own, name = tuple_names_item(names, i, &own), argument = tuple_names_argument(names, i);
        require_within(name, names);
        require_within(own, names);
        require_within(argument, names);
        walk_names(own, depth - 1);
        walk_names(argument, depth - 1);
    }
}

static void check_names(struct text names)
{
    struct text rest = names, name;
    walk_names(names, DEPTH_MAX);
    require_within(tuple_names_of_field(names, names), names);
    for (size_t taken = 0; tuple_names_take(&rest, &name); taken++) {
        require(taken < names.size);
        require_within(name, names);
    }
}

// Decodes sites up to the first malformed one; returns how many there are.
static uint32_t read_sites(struct bytes bytes, struct site *sites)
{
    struct site previous = {0};
    uint32_t count = 0;
    while (count < SITES_MAX && bytes_left(&bytes) > 0 && site_decode(&bytes, &previous, &sites[count])) {
        previous = sites[count++];
    }
    return count;
}

// Encodes the decoded sites again; decoding must give the same ones.
static void check_sites(struct bytes bytes)
{
    static struct site sites[SITES_MAX], again[SITES_MAX];
    struct buffer first = {0}, second = {0};
    uint32_t count = read_sites(bytes, sites);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t whole = sites[i].encoding == VALUE_STRUCT ? ((uint64_t)sites[i].size + 3) / 4 : 0;
        require(payload_cells(&sites[i]) >= whole && payload_cells(&sites[i]) <= whole + 5);
        check_names(sites[i].tuple_names);
    }
    sites_encode(&first, sites, count);
    require(read_sites(bytes_of(first.data, first.size), again) == count);
    sites_encode(&second, again, count);
    require(text_equal(written(&first), written(&second)));
    buffer_free(&first);
    buffer_free(&second);
}

// The same for a type.
static void check_type(struct bytes bytes)
{
    struct arena arena = {0};
    struct buffer first = {0}, second = {0};
    struct type type, again;
    if (type_decode(bytes, &arena, &type) == CLEW_OK) {
        type_encode(&first, &type);
        require(type_decode(bytes_of(first.data, first.size), &arena, &again) == CLEW_OK);
        require(again.field_count == type.field_count && again.member_count == type.member_count);
        type_encode(&second, &again);
        require(text_equal(written(&first), written(&second)));
    }
    buffer_free(&first);
    buffer_free(&second);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_sites(bytes_of(data, size));
    check_type(bytes_of(data, size));
    check_names((struct text){(const char *)data, size});
    return 0;
}

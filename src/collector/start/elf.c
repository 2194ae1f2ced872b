#include "collector/start/elf.h"

#include <elf.h>

#include "base/assert.h"

enum { INTERPRETER_MAX = 4096 };

// -- Bytes ------------------------------------------------------------------------------------------------------------

// The bytes from `offset` on; empty beyond the end of the file.
static struct bytes from(const struct elf *elf, uint64_t offset)
{
    struct bytes bytes = elf->whole;
    if (offset > bytes_left(&bytes)) {
        return bytes_of(NULL, 0);
    }
    (void)bytes_skip(&bytes, (size_t)offset); // checked above
    return bytes;
}

static bool u32_at(const struct elf *elf, uint64_t offset, uint32_t *out)
{
    struct bytes bytes = from(elf, offset);
    return bytes_u32(&bytes, out);
}

// -- Headers ----------------------------------------------------------------------------------------------------------

// One program header (Elf64_Phdr), without what is not needed.
struct segment {
    uint32_t type;
    uint64_t offset, address, file_size;
};

static bool read_segment(const struct elf *elf, uint32_t index, struct segment *out)
{
    struct bytes bytes = from(elf, elf->headers);
    uint32_t flags;
    uint64_t physical;
    static_assert(sizeof(Elf64_Phdr) == 56, "as in the ABI");
    return bytes_skip(&bytes, (size_t)index * sizeof(Elf64_Phdr)) && bytes_u32(&bytes, &out->type) &&
           bytes_u32(&bytes, &flags) && bytes_u64(&bytes, &out->offset) && bytes_u64(&bytes, &out->address) &&
           bytes_u64(&bytes, &physical) && bytes_u64(&bytes, &out->file_size);
}

// The offset in the file of an address of the loaded library; false where no segment of the file has it.
static bool offset_of(const struct elf *elf, uint64_t address, uint64_t *out)
{
    struct segment segment;
    for (uint32_t i = 0; i < elf->header_count && read_segment(elf, i, &segment); i++) {
        if (segment.type == PT_LOAD && address >= segment.address && address - segment.address < segment.file_size) {
            *out = address - segment.address + segment.offset;
            return *out >= segment.offset;
        }
    }
    return false;
}

// Notes where the dynamic section says that tables are.
static void read_dynamic(struct elf *elf, const struct segment *segment)
{
    struct bytes bytes = from(elf, segment->offset);
    uint64_t tag, value;
    for (uint64_t at = 0; at < segment->file_size && bytes_u64(&bytes, &tag) && bytes_u64(&bytes, &value) && tag;
         at += sizeof(Elf64_Dyn)) {
        elf->symbols = tag == DT_SYMTAB ? value : elf->symbols;
        elf->strings = tag == DT_STRTAB ? value : elf->strings;
        elf->string_size = tag == DT_STRSZ ? value : elf->string_size;
        elf->gnu_hash = tag == DT_GNU_HASH ? value : elf->gnu_hash;
        elf->hash = tag == DT_HASH ? value : elf->hash;
        elf->stays = elf->stays || (tag == DT_FLAGS_1 && value & DF_1_NODELETE);
    }
}

static void read_interpreter(struct elf *elf, const struct segment *segment)
{
    struct bytes bytes = from(elf, segment->offset), path;
    if (segment->file_size > 1 && segment->file_size < INTERPRETER_MAX &&
        bytes_take(&bytes, (size_t)segment->file_size, &path)) {
        const char *at = (const char *)path.at;
        elf->interpreter = (struct text){at, strnlen(at, bytes_left(&path))};
    }
}

static void read_segments(struct elf *elf)
{
    struct segment segment;
    for (uint32_t i = 0; i < elf->header_count && read_segment(elf, i, &segment); i++) {
        uint64_t end = segment.offset + segment.file_size;
        end = end < segment.offset ? UINT64_MAX : end;
        if (segment.type == PT_LOAD && end > elf->size) {
            elf->size = end;
        } else if (segment.type == PT_DYNAMIC) {
            read_dynamic(elf, &segment);
        } else if (segment.type == PT_INTERP) {
            read_interpreter(elf, &segment);
        }
    }
}

enum clew_error elf_open(struct bytes whole, struct elf *out)
{
    struct bytes bytes = whole, identity;
    uint64_t entry, sections;
    uint32_t version, flags;
    uint16_t header_size, segment_size;
    *out = (struct elf){.whole = whole};
    if (!bytes_begin_with(whole, bytes_of(ELFMAG, SELFMAG)) || !bytes_take(&bytes, EI_NIDENT, &identity) ||
        !bytes_u16(&bytes, &out->type) || !bytes_u16(&bytes, &out->machine)) {
        return CLEW_MALFORMED;
    }
    out->class = identity.at[EI_CLASS];
    out->order = identity.at[EI_DATA];
    if (out->order == ELFDATA2MSB) {
        out->type = (uint16_t)(out->type << 8 | out->type >> 8);
        out->machine = (uint16_t)(out->machine << 8 | out->machine >> 8);
    }
    if (out->class != ELFCLASS64 || out->order != ELFDATA2LSB) {
        return CLEW_OK;
    }
    if (!bytes_u32(&bytes, &version) || !bytes_u64(&bytes, &entry) || !bytes_u64(&bytes, &out->headers) ||
        !bytes_u64(&bytes, &sections) || !bytes_u32(&bytes, &flags) || !bytes_u16(&bytes, &header_size) ||
        !bytes_u16(&bytes, &segment_size) || !bytes_u16(&bytes, &out->header_count)) {
        return CLEW_MALFORMED;
    }
    out->header_count = segment_size == sizeof(Elf64_Phdr) ? out->header_count : 0;
    size_t segments = (size_t)out->header_count * sizeof(Elf64_Phdr);
    if (bytes_left(&whole) < segments || out->headers > bytes_left(&whole) - segments) {
        return CLEW_MALFORMED;
    }
    read_segments(out);
    return CLEW_OK;
}

bool elf_same_machine(const struct elf *a, const struct elf *b)
{
    return a->class == b->class && a->order == b->order && a->machine == b->machine;
}

void elf_machine_name(const struct elf *elf, struct buffer *into)
{
    static const struct {
        uint16_t machine;
        const char *name;
    } names[] = {{EM_386, "i386"},        {EM_ARM, "arm"},     {EM_X86_64, "x86_64"}, {EM_AARCH64, "aarch64"},
                 {EM_PPC64, "ppc64"},     {EM_S390, "s390x"},  {EM_RISCV, "riscv64"}, {EM_MIPS, "mips"},
                 {EM_SPARCV9, "sparcv9"}, {258, "loongarch64"}};
    const char *name = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        name = names[i].machine == elf->machine ? names[i].name : name;
    }
    if (name) {
        buffer_text(into, name);
    } else {
        buffer_printf(into, "machine number %u", elf->machine);
    }
    bool usual = elf->class == (elf->machine == EM_386 || elf->machine == EM_ARM ? ELFCLASS32 : ELFCLASS64);
    buffer_text(into, usual ? "" : elf->class == ELFCLASS32 ? " with 32 bits" : " with 64 bits");
}

bool elf_is_cut(const struct elf *elf)
{
    return elf->size > bytes_left(&elf->whole);
}

// -- Symbols ----------------------------------------------------------------------------------------------------------

// The dynamic tables as offsets in the file.
struct tables {
    uint64_t symbols, strings;
};

// Whether symbol `index` has that name and is defined here.
static bool is_defined(const struct elf *elf, const struct tables *tables, uint32_t index, const char *name)
{
    struct bytes symbol = from(elf, tables->symbols), text;
    uint32_t at;
    uint8_t info, visibility;
    uint16_t section;
    if (!bytes_skip(&symbol, (size_t)index * sizeof(Elf64_Sym)) || !bytes_u32(&symbol, &at) ||
        !bytes_u8(&symbol, &info) || !bytes_u8(&symbol, &visibility) || !bytes_u16(&symbol, &section)) {
        return false;
    }
    size_t size = strlen(name) + 1;
    struct bytes strings = from(elf, tables->strings);
    return section != SHN_UNDEF && ELF64_ST_BIND(info) != STB_LOCAL && at < elf->string_size &&
           bytes_skip(&strings, at) && bytes_take(&strings, size, &text) && memcmp(text.at, name, size) == 0;
}

// By the table that the loader of glibc searches. Its layout: numbers of buckets, of the first symbol in the table, of
// words of the filter; the filter's shift; the filter, 8 bytes a word; the buckets; and a word for each symbol.
static bool find_by_gnu_hash(const struct elf *elf, const struct tables *tables, uint64_t table, const char *name)
{
    uint32_t hash = 5381, buckets, first, words, index, word;
    for (const char *at = name; *at; at++) {
        hash = hash * 33 + (uint8_t)*at;
    }
    if (!u32_at(elf, table, &buckets) || !u32_at(elf, table + 4, &first) || !u32_at(elf, table + 8, &words) ||
        !buckets) {
        return false;
    }
    uint64_t bucket_table = table + 16 + (uint64_t)words * 8, chain_table = bucket_table + (uint64_t)buckets * 4;
    if (!u32_at(elf, bucket_table + (uint64_t)(hash % buckets) * 4, &index) || index < first) {
        return false;
    }
    for (; u32_at(elf, chain_table + (uint64_t)(index - first) * 4, &word); index++) {
        if ((word | 1) == (hash | 1) && is_defined(elf, tables, index, name)) {
            return true;
        }
        if (word & 1 || index == UINT32_MAX) { // the last of its bucket
            return false;
        }
    }
    return false;
}

// The older table: numbers of buckets and of symbols, the buckets, and the next symbol of each.
static bool find_by_hash(const struct elf *elf, const struct tables *tables, uint64_t table, const char *name)
{
    uint32_t hash = 0, buckets, count, index;
    for (const char *at = name; *at; at++) {
        hash = (hash << 4) + (uint8_t)*at;
        hash = (hash ^ (hash >> 24 & 0xF0)) & 0x0FFFFFFF;
    }
    if (!u32_at(elf, table, &buckets) || !u32_at(elf, table + 4, &count) || !buckets ||
        !u32_at(elf, table + 8 + (uint64_t)(hash % buckets) * 4, &index)) {
        return false;
    }
    // Each step reads another symbol, or the chain is a circle.
    for (uint32_t steps = 0; index != STN_UNDEF && steps < count; steps++) {
        if (is_defined(elf, tables, index, name)) {
            return true;
        }
        if (!u32_at(elf, table + 8 + ((uint64_t)buckets + index) * 4, &index)) {
            return false;
        }
    }
    return false;
}

bool elf_exports(const struct elf *elf, const char *name)
{
    struct tables tables;
    uint64_t table;
    CLEW_ASSERT(*name && "a symbol has a name");
    if (!offset_of(elf, elf->symbols, &tables.symbols) || !offset_of(elf, elf->strings, &tables.strings)) {
        return false;
    }
    if (elf->gnu_hash && offset_of(elf, elf->gnu_hash, &table)) {
        return find_by_gnu_hash(elf, &tables, table, name);
    }
    return elf->hash && offset_of(elf, elf->hash, &table) && find_by_hash(elf, &tables, table, name);
}

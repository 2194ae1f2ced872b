// Cobertura's coverage.xml: a package for each module, a class for each type and source file, with the lines of its methods.
// Source of facts: coverage-04.dtd of Cobertura, and what ReportGenerator reads.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/foreign.h"
#include "model/coverage.h"
#include "model/name.h"
#include "view/export/export.h"
#include "view/export/export_coverage.h"
#include "view/export/export_formats.h"

enum { NS_PER_S = 1000000000 };

// What is written, with the class that is open.
struct cobertura {
    FILE *out;
    const struct coverage *coverage;
    const struct coverage_owned *owned;
    struct text folder;    // that all files have in common, with its slash
    struct buffer escaped; // scratch
    bool failed;           // memory ran out
};

// Writes text within an attribute's quotes. Control characters, of which XML has no form, are escaped as in reports.
static void write_text(struct cobertura *to, struct text text)
{
    buffer_clear(&to->escaped);
    foreign_append(&to->escaped, text, FOREIGN_TEXT);
    to->failed |= to->escaped.failed;
    for (size_t i = 0; i < to->escaped.size; i++) {
        switch (to->escaped.data[i]) {
        case '&':
            (void)fputs("&amp;", to->out);
            break;
        case '<':
            (void)fputs("&lt;", to->out);
            break;
        case '>':
            (void)fputs("&gt;", to->out);
            break;
        case '"':
            (void)fputs("&quot;", to->out);
            break;
        case '\t':
            (void)fputs("&#9;", to->out);
            break;
        default:
            (void)fputc(to->escaped.data[i], to->out);
        }
    }
}

static void write_attribute(struct cobertura *to, const char *name, struct text text)
{
    (void)fprintf(to->out, " %s=\"", name);
    write_text(to, text);
    (void)fputc('"', to->out);
}

static void write_rate(struct cobertura *to, uint64_t lines, uint64_t covered)
{
    // Of a millionth, as integers: a locale may have another decimal point.
    uint64_t rate = lines ? covered * 1000000 / lines : 0;
    (void)fprintf(to->out, " line-rate=\"%u.%06u\" branch-rate=\"0\" complexity=\"0\"", (unsigned)(rate / 1000000),
                  (unsigned)(rate % 1000000));
}

// Of lines first to end, in `owned`.
static void write_rate_of(struct cobertura *to, size_t first, size_t end)
{
    uint64_t covered = 0;
    for (size_t i = first; i < end; i++) {
        covered += to->owned->lines[i].hits > 0;
    }
    write_rate(to, end - first, covered);
}

static void write_lines(struct cobertura *to, size_t first, size_t end)
{
    (void)fputs("<lines>\n", to->out);
    for (size_t i = first; i < end; i++) {
        (void)fprintf(to->out, "<line number=\"%u\" hits=\"%llu\" branch=\"false\"/>\n", to->owned->lines[i].line,
                      (unsigned long long)to->owned->lines[i].hits);
    }
    (void)fputs("</lines>\n", to->out);
}

// -- Classes ----------------------------------------------------------------------------------------------------------

// The method's name without that of its class, which has dots there.
static struct text without_class(const struct coverage_method *method)
{
    size_t same = 0;
    while (same < method->class.size && same < method->name.size &&
           (method->class.at[same] == method->name.at[same] ||
            (method->class.at[same] == '/' && method->name.at[same] == '.'))) {
        same++;
    }
    bool within = same == method->class.size && same < method->name.size && method->name.at[same] == '.';
    return within ? text_from(method->name, same + 1) : method->name;
}

static void write_method(struct cobertura *to, size_t first, size_t end)
{
    const struct coverage_method *method = &to->coverage->methods[to->owned->lines[first].method];
    struct text name = without_class(method), parameters = name_parts(method->name).parameters;
    // "Add(int) (async)": the parameters are apart, and what follows them is left out.
    const char *open = parameters.size ? memmem(name.at, name.size, parameters.at, parameters.size) : NULL;
    name.size = open ? (size_t)(open - name.at) : name.size;
    (void)fputs("<method", to->out);
    write_attribute(to, "name", name);
    write_attribute(to, "signature", parameters.size ? parameters : text_of("()"));
    write_rate_of(to, first, end);
    (void)fputs(">\n", to->out);
    write_lines(to, first, end);
    (void)fputs("</method>\n", to->out);
}

static struct text class_of(const struct cobertura *to, size_t line)
{
    struct text class = to->coverage->methods[to->owned->lines[line].method].class;
    return class.size ? class : text_of("(no class)");
}

static int compare_numbers(const void *left, const void *right)
{
    const struct coverage_line *a = left, *b = right;
    return (a->line > b->line) - (a->line < b->line);
}

// Writes the class whose lines are first to end, ordered by method; they are ordered by number afterwards.
static void write_class(struct cobertura *to, size_t first, size_t end)
{
    struct text file = to->coverage->files[to->owned->lines[first].file].path;
    (void)fputs("<class", to->out);
    write_attribute(to, "name", class_of(to, first));
    write_attribute(to, "filename", text_from(file, to->folder.size));
    write_rate_of(to, first, end);
    (void)fputs(">\n<methods>\n", to->out);
    for (size_t i = first; i < end;) {
        size_t next = i;
        while (next < end && to->owned->lines[next].method == to->owned->lines[i].method) {
            next++;
        }
        write_method(to, i, next);
        i = next;
    }
    (void)fputs("</methods>\n", to->out);
    qsort(to->owned->lines + first, end - first, sizeof *to->owned->lines, compare_numbers);
    write_lines(to, first, end);
    (void)fputs("</class>\n", to->out);
}

static const struct recording_module *module_of(const struct cobertura *to, size_t line)
{
    return to->coverage->methods[to->owned->lines[line].method].module;
}

static void write_package(struct cobertura *to, size_t first, size_t end)
{
    (void)fputs("<package", to->out);
    write_attribute(to, "name", module_of(to, first)->name);
    write_rate_of(to, first, end);
    (void)fputs(">\n<classes>\n", to->out);
    for (size_t i = first; i < end;) {
        size_t next = i;
        struct text name = class_of(to, i);
        while (next < end && to->owned->lines[next].file == to->owned->lines[i].file &&
               text_equal(class_of(to, next), name)) {
            next++;
        }
        write_class(to, i, next);
        i = next;
    }
    (void)fputs("</classes>\n</package>\n", to->out);
}

// -- The document -----------------------------------------------------------------------------------------------------

// The folder that the paths of all files begin with.
static struct text common_folder(const struct coverage *coverage)
{
    struct text folder = {0};
    for (size_t i = 0; i < coverage->file_count; i++) {
        struct text path = coverage->files[i].path;
        size_t same = 0;
        folder = i == 0 ? path : folder;
        while (same < folder.size && same < path.size && folder.at[same] == path.at[same]) {
            same++;
        }
        folder.size = same;
    }
    while (folder.size && folder.at[folder.size - 1] != '/') {
        folder.size--;
    }
    return folder;
}

static void write_head(struct cobertura *to, const struct model *model)
{
    const struct coverage *coverage = to->coverage;
    (void)fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<coverage", to->out);
    write_rate(to, coverage->lines, coverage->covered);
    (void)fprintf(to->out,
                  " lines-covered=\"%llu\" lines-valid=\"%llu\" branches-covered=\"0\" branches-valid=\"0\""
                  " version=\"1.9\" timestamp=\"%llu\">\n<sources>\n<source>",
                  (unsigned long long)coverage->covered, (unsigned long long)coverage->lines,
                  (unsigned long long)(model->session.started_realtime_ns / NS_PER_S));
    write_text(to, to->folder);
    (void)fputs("</source>\n</sources>\n<packages>\n", to->out);
}

static enum clew_error write_all(void *context, const struct coverage *coverage, struct coverage_owned *owned)
{
    struct export *export = context;
    struct cobertura to = {.out = export->out, .coverage = coverage, .owned = owned, .folder = common_folder(coverage)};
    write_head(&to, export->model);
    for (size_t i = 0; i < owned->count;) {
        size_t next = i;
        while (next < owned->count && catalog_same_module(module_of(&to, next), module_of(&to, i))) {
            next++;
        }
        write_package(&to, i, next);
        i = next;
    }
    (void)fputs("</packages>\n</coverage>\n", to.out);
    buffer_free(&to.escaped);
    return to.failed ? CLEW_NO_MEMORY : CLEW_OK;
}

static enum clew_error write_cobertura(struct export *export)
{
    return export_coverage(export, COVERAGE_BY_METHOD, write_all);
}

const struct export_format export_cobertura = {
    .name = "cobertura", .suffix = ".xml", .coverage = true, .write = write_cobertura};

// lcov's tracefiles: a record for each source file, with its methods and lines. Source of facts: geninfo(1), "FILES".
#include "base/foreign.h"
#include "model/coverage.h"
#include "view/export/export.h"
#include "view/export/export_coverage.h"
#include "view/export/export_formats.h"

struct lcov {
    FILE *out;
    const struct coverage *coverage;
    const struct coverage_owned *owned;
};

// How often the method's first statement ran: how often it was called.
static uint64_t calls_of(const struct lcov *lcov, uint32_t method)
{
    const struct coverage_method *of = &lcov->coverage->methods[method];
    for (uint32_t i = of->first; i < of->first + of->count; i++) {
        if (lcov->coverage->points[i].counted) {
            return lcov->coverage->points[i].count;
        }
    }
    return 0;
}

// Methods that share all of their lines with another one have no record: lines are of one method each.
static void write_methods(const struct lcov *lcov, const struct coverage_file *file)
{
    unsigned count = 0, hit = 0;
    for (uint32_t i = file->first; i < file->first + file->count; i++) {
        const struct coverage_point *point = &lcov->coverage->points[lcov->coverage->by_file[i]];
        const struct coverage_method *method = &lcov->coverage->methods[point->method];
        if (&lcov->coverage->points[method->first] != point || method->lines == 0) {
            continue; // not where the method begins
        }
        uint64_t calls = calls_of(lcov, point->method);
        (void)fprintf(lcov->out, "FN:%u,", point->at.start_line);
        foreign_write(lcov->out, method->name, FOREIGN_TEXT);
        (void)fprintf(lcov->out, "\nFNDA:%llu,", (unsigned long long)calls);
        foreign_write(lcov->out, method->name, FOREIGN_TEXT);
        (void)fputc('\n', lcov->out);
        count++;
        hit += calls > 0;
    }
    (void)fprintf(lcov->out, "FNF:%u\nFNH:%u\n", count, hit);
}

static void write_file(const struct lcov *lcov, size_t first, size_t end)
{
    const struct coverage_file *file = &lcov->coverage->files[lcov->owned->lines[first].file];
    (void)fputs("TN:\nSF:", lcov->out);
    foreign_write(lcov->out, file->path, FOREIGN_TEXT);
    (void)fputc('\n', lcov->out);
    write_methods(lcov, file);
    for (size_t i = first; i < end; i++) {
        (void)fprintf(lcov->out, "DA:%u,%llu\n", lcov->owned->lines[i].line,
                      (unsigned long long)lcov->owned->lines[i].hits);
    }
    (void)fprintf(lcov->out, "LF:%u\nLH:%u\nend_of_record\n", file->lines, file->covered);
}

static enum clew_error write_all(void *context, const struct coverage *coverage, struct coverage_owned *owned)
{
    struct export *export = context;
    const struct lcov lcov = {export->out, coverage, owned};
    for (size_t i = 0; i < owned->count;) {
        size_t next = i;
        while (next < owned->count && owned->lines[next].file == owned->lines[i].file) {
            next++;
        }
        write_file(&lcov, i, next);
        i = next;
    }
    return CLEW_OK;
}

static enum clew_error write_lcov(struct export *export)
{
    return export_coverage(export, COVERAGE_BY_FILE, write_all);
}

const struct export_format export_lcov = {.name = "lcov", .suffix = ".info", .coverage = true, .write = write_lcov};

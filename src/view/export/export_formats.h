// The entries of the table in exports.c. Each is defined at the end of its format's file.
#ifndef CLEW_VIEW_EXPORT_FORMATS_H
#define CLEW_VIEW_EXPORT_FORMATS_H

#include "view/export/exports.h"

extern const struct export_format export_speedscope, export_folded, export_pprof, export_callgrind, export_trace,
    export_perfetto, export_firefox, export_csv, export_jsonl, export_parquet, export_cobertura, export_lcov;

#endif

// Tables that only files contain: rows of paths and of events. They are made from a running export.
#ifndef CLEW_VIEW_EXPORT_TABLES_H
#define CLEW_VIEW_EXPORT_TABLES_H

#include "view/table/table_rows.h"

extern const struct table tree_table, events_table;

#endif

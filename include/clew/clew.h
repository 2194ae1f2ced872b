// libclew: reads recordings of .NET programs (*.clew). One page of examples is in clew(3).
//
// Version 0.x: functions and structures may change with each minor version, which is part of the library's SONAME.
#ifndef CLEW_PUBLIC_CLEW_H
#define CLEW_PUBLIC_CLEW_H

#include "clew/cursor.h"
#include "clew/error.h"
#include "clew/recording.h"
#include "clew/tree.h"

#endif

// <cuda.h> for the files that define driver functions: what is declared here is what the library
// exports, everything else is hidden.
#pragma once

#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

// Whether this file is compiled with a sanitizer that must be told about fibers.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define CUDAHOT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CUDAHOT_ASAN 1
#endif
#endif
#ifndef CUDAHOT_ASAN
#define CUDAHOT_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define CUDAHOT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CUDAHOT_TSAN 1
#endif
#endif
#ifndef CUDAHOT_TSAN
#define CUDAHOT_TSAN 0
#endif

#if CUDAHOT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if CUDAHOT_TSAN
#include <sanitizer/tsan_interface.h>
#endif


// clang-format sorts includes unless SortIncludes: Never. However, the ordering
// does matter here. So, we need to disable clang-format for safety.

// clang-format off
#include <stdint.h>
#include <Rinternals.h>
#include <R_ext/Parse.h>
// clang-format on

#include "rust/api.h"

static uintptr_t TAGGED_POINTER_MASK = (uintptr_t)1;

SEXP handle_result(SEXP res_) {
    uintptr_t res = (uintptr_t)res_;

    // An error is indicated by tag.
    if ((res & TAGGED_POINTER_MASK) == 1) {
        // Remove tag
        SEXP res_aligned = (SEXP)(res & ~TAGGED_POINTER_MASK);

        // Currently, there are two types of error cases:
        //
        //   1. Error from Rust code
        //   2. Error from R's C API, which is caught by R_UnwindProtect()
        //
        if (TYPEOF(res_aligned) == CHARSXP) {
            // In case 1, the result is an error message that can be passed to
            // Rf_errorcall() directly.
            Rf_errorcall(R_NilValue, "%s", CHAR(res_aligned));
        } else {
            // In case 2, the result is the token to restart the
            // cleanup process on R's side.
            R_ContinueUnwind(res_aligned);
        }
    }

    return (SEXP)res;
}

SEXP savvy_draws_arrays__impl(SEXP c_arg__handle) {
    SEXP res = savvy_draws_arrays__ffi(c_arg__handle);
    return handle_result(res);
}

SEXP savvy_draws_facts__impl(SEXP c_arg__handle) {
    SEXP res = savvy_draws_facts__ffi(c_arg__handle);
    return handle_result(res);
}

SEXP savvy_draws_from_arrays__impl(SEXP c_arg__source) {
    SEXP res = savvy_draws_from_arrays__ffi(c_arg__source);
    return handle_result(res);
}

SEXP savvy_draws_from_files__impl(SEXP c_arg__paths, SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_draws_from_files__ffi(c_arg__paths, c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_draws_labels__impl(SEXP c_arg__handle, SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_draws_labels__ffi(c_arg__handle, c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_draws_select__impl(SEXP c_arg__handle, SEXP c_arg__options) {
    SEXP res = savvy_draws_select__ffi(c_arg__handle, c_arg__options);
    return handle_result(res);
}

SEXP savvy_draws_write__impl(SEXP c_arg__handle, SEXP c_arg__path, SEXP c_arg__options) {
    SEXP res = savvy_draws_write__ffi(c_arg__handle, c_arg__path, c_arg__options);
    return handle_result(res);
}

SEXP savvy_files_summary__impl(SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_files_summary__ffi(c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_fit_mixture__impl(SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_fit_mixture__ffi(c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_handle_alive__impl(SEXP c_arg__handle) {
    SEXP res = savvy_handle_alive__ffi(c_arg__handle);
    return handle_result(res);
}

SEXP savvy_measure_predict__impl(SEXP c_arg__kind, SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_measure_predict__ffi(c_arg__kind, c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_partitions_from_labels__impl(SEXP c_arg__source) {
    SEXP res = savvy_partitions_from_labels__ffi(c_arg__source);
    return handle_result(res);
}

SEXP savvy_partitions_search__impl(SEXP c_arg__partitions, SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_partitions_search__ffi(c_arg__partitions, c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_partitions_similarity__impl(SEXP c_arg__partitions, SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_partitions_similarity__ffi(c_arg__partitions, c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_posterior_aligned__impl(SEXP c_arg__posterior, SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_posterior_aligned__ffi(c_arg__posterior, c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_posterior_ball__impl(SEXP c_arg__posterior, SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_posterior_ball__ffi(c_arg__posterior, c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_posterior_components__impl(SEXP c_arg__posterior, SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_posterior_components__ffi(c_arg__posterior, c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_posterior_how_many__impl(SEXP c_arg__posterior, SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_posterior_how_many__ffi(c_arg__posterior, c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_posterior_memberships__impl(SEXP c_arg__posterior, SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_posterior_memberships__ffi(c_arg__posterior, c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_posterior_new__impl(SEXP c_arg__draws, SEXP c_arg__options) {
    SEXP res = savvy_posterior_new__ffi(c_arg__draws, c_arg__options);
    return handle_result(res);
}

SEXP savvy_posterior_representatives__impl(SEXP c_arg__posterior, SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_posterior_representatives__ffi(c_arg__posterior, c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_posterior_stability__impl(SEXP c_arg__posterior, SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_posterior_stability__ffi(c_arg__posterior, c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_posterior_summary__impl(SEXP c_arg__posterior, SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_posterior_summary__ffi(c_arg__posterior, c_arg__options, c_arg__tick);
    return handle_result(res);
}

SEXP savvy_report_write__impl(SEXP c_arg__draws, SEXP c_arg__options, SEXP c_arg__tick) {
    SEXP res = savvy_report_write__ffi(c_arg__draws, c_arg__options, c_arg__tick);
    return handle_result(res);
}



static const R_CallMethodDef CallEntries[] = {
    {"savvy_draws_arrays__impl", (DL_FUNC) &savvy_draws_arrays__impl, 1},
    {"savvy_draws_facts__impl", (DL_FUNC) &savvy_draws_facts__impl, 1},
    {"savvy_draws_from_arrays__impl", (DL_FUNC) &savvy_draws_from_arrays__impl, 1},
    {"savvy_draws_from_files__impl", (DL_FUNC) &savvy_draws_from_files__impl, 3},
    {"savvy_draws_labels__impl", (DL_FUNC) &savvy_draws_labels__impl, 3},
    {"savvy_draws_select__impl", (DL_FUNC) &savvy_draws_select__impl, 2},
    {"savvy_draws_write__impl", (DL_FUNC) &savvy_draws_write__impl, 3},
    {"savvy_files_summary__impl", (DL_FUNC) &savvy_files_summary__impl, 2},
    {"savvy_fit_mixture__impl", (DL_FUNC) &savvy_fit_mixture__impl, 2},
    {"savvy_handle_alive__impl", (DL_FUNC) &savvy_handle_alive__impl, 1},
    {"savvy_measure_predict__impl", (DL_FUNC) &savvy_measure_predict__impl, 3},
    {"savvy_partitions_from_labels__impl", (DL_FUNC) &savvy_partitions_from_labels__impl, 1},
    {"savvy_partitions_search__impl", (DL_FUNC) &savvy_partitions_search__impl, 3},
    {"savvy_partitions_similarity__impl", (DL_FUNC) &savvy_partitions_similarity__impl, 3},
    {"savvy_posterior_aligned__impl", (DL_FUNC) &savvy_posterior_aligned__impl, 3},
    {"savvy_posterior_ball__impl", (DL_FUNC) &savvy_posterior_ball__impl, 3},
    {"savvy_posterior_components__impl", (DL_FUNC) &savvy_posterior_components__impl, 3},
    {"savvy_posterior_how_many__impl", (DL_FUNC) &savvy_posterior_how_many__impl, 3},
    {"savvy_posterior_memberships__impl", (DL_FUNC) &savvy_posterior_memberships__impl, 3},
    {"savvy_posterior_new__impl", (DL_FUNC) &savvy_posterior_new__impl, 2},
    {"savvy_posterior_representatives__impl", (DL_FUNC) &savvy_posterior_representatives__impl, 3},
    {"savvy_posterior_stability__impl", (DL_FUNC) &savvy_posterior_stability__impl, 3},
    {"savvy_posterior_summary__impl", (DL_FUNC) &savvy_posterior_summary__impl, 3},
    {"savvy_report_write__impl", (DL_FUNC) &savvy_report_write__impl, 3},

    {NULL, NULL, 0}
};

void R_init_mixgist(DllInfo *dll) {
    R_registerRoutines(dll, NULL, CallEntries, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);

    // Functions for initialization, if any.

}

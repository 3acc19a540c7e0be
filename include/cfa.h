/* cfa.h: opens aggregation netCDF files (CF-1.13 section 2.8, CFA) and returns their data as if stored in one file;
   makes, checks and converts such files.

   Generated from src/capi by `UPDATE=1 cargo test --test all header::`. SPDX-License-Identifier: MIT OR Apache-2.0

   Topics: version, errors, opening, exploring, reading, fragments, writing, options.

   Rules that hold for all functions:
   - Names begin with cfa_ and the noun that the function is about. Most functions return a cfa_status, CFA_OK (0) or a
     negative CFA_ERR_ code, and write their outputs only on success, unless they say otherwise. After an error,
     cfa_last_error returns a message. Functions that return a pointer or a number instead return NULL or 0 when an
     argument is NULL or out of range.
   - Only a cfa_dataset is owned by the caller, and freed with cfa_dataset_free. Groups, dimensions, variables,
     attributes and texts that belong to it are borrowed: valid until that call, never to be freed. Strings that
     cfa_variable_read writes into a buffer are the caller's, and freed with cfa_strings_free.
   - Any number of threads may call any functions at once, also with the same dataset and all that is borrowed from it:
     a dataset never changes once it is open. Only cfa_dataset_free must come after all other use of its dataset.
     Memory that a function writes to belongs to one call at a time. Functions of the caller, whose types end in
     _callback, are called in the thread that made the call, except that any thread may call those of a cfa_source.
   - All functions exist since version 0.1.0, unless they say otherwise.
   - Texts are UTF-8 and end with NUL; the path of a file is taken as the bytes that it is.
   - After fork the child may use the datasets of its parent, if no other thread was within a call at that moment.
   - Nothing is printed, no signal handler is set, no environment variable is written. */


#ifndef CFA_H
#define CFA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Handles: their contents are private to the library. */

/** An attribute of a group or a variable. Borrowed until cfa_dataset_free. */
typedef struct cfa_attribute cfa_attribute;

/** An open file. Owned by the caller: free it with cfa_dataset_free. */
typedef struct cfa_dataset cfa_dataset;

/** A dimension of a dataset. Borrowed until cfa_dataset_free. */
typedef struct cfa_dimension cfa_dimension;

/** A group of a dataset. Borrowed until cfa_dataset_free. */
typedef struct cfa_group cfa_group;

/** A variable of a dataset, aggregated or not; both are used alike. Borrowed until cfa_dataset_free. */
typedef struct cfa_variable cfa_variable;

/* Structures, described where they are used. */

typedef struct cfa_check_options cfa_check_options;
typedef struct cfa_checked_variable cfa_checked_variable;
typedef struct cfa_chunk cfa_chunk;
typedef struct cfa_convert_options cfa_convert_options;
typedef struct cfa_create_options cfa_create_options;
typedef struct cfa_cut cfa_cut;
typedef struct cfa_extract_options cfa_extract_options;
typedef struct cfa_finding cfa_finding;
typedef struct cfa_fragment cfa_fragment;
typedef struct cfa_open_options cfa_open_options;
typedef struct cfa_planned_dimension cfa_planned_dimension;
typedef struct cfa_planned_part cfa_planned_part;
typedef struct cfa_planned_variable cfa_planned_variable;
typedef struct cfa_read_options cfa_read_options;
typedef struct cfa_setting cfa_setting;
typedef struct cfa_source cfa_source;

/* Version ===========================================================================================================
 *
 * The macros are the version of this header, the functions that of the library that is running. A library
 * works with programs that were compiled with an older header of its major version, and with those of a newer one as
 * long as they use nothing that is new in it.
 *
 *     static int is_older_than_its_header(void)
 *     {
 *         return cfa_version_number() < CFA_VERSION_MAJOR * 10000 + CFA_VERSION_MINOR * 100 + CFA_VERSION_PATCH;
 *     }
 */

/** The major version that this header belongs to. */
#define CFA_VERSION_MAJOR 0
/** The minor version that this header belongs to. */
#define CFA_VERSION_MINOR 1
/** The patch level that this header belongs to. */
#define CFA_VERSION_PATCH 0

/**
 * Returns the version of the library that is running.
 *
 * @return CFA_VERSION_MAJOR * 10000 + CFA_VERSION_MINOR * 100 + CFA_VERSION_PATCH as they were when it was built
 */
uint32_t cfa_version_number(void);

/**
 * Returns the version of the library that is running as text, such as "0.1.0".
 *
 * @return the text; never NULL, valid for ever
 */
const char *cfa_version_string(void);

/**
 * Returns the features that were built into the library that is running.
 *
 * @return words separated by one blank: "read" (to which checking belongs) and "write" are always there, "remote"
 *         where files on servers can be read; never NULL, valid for ever
 */
const char *cfa_version_features(void);

/* Errors ============================================================================================================
 *
 * A status says what sort of error it is. The message of the last error of a thread says what happened where; its
 * parts are also there one by one, so that no program has to read the message.
 *
 *     static void report(void)
 *     {
 *         if (cfa_last_error_is_absence())
 *             fprintf(stderr, "%s: no such file\n", cfa_last_error_file());
 *         else
 *             fprintf(stderr, "%s: %s\n", cfa_status_category(cfa_last_error_status()), cfa_last_error());
 *     }
 */

/** The result of a call: 0 is success, negative numbers are errors. Codes are appended, never renumbered. */
typedef int32_t cfa_status;

/** Success. */
#define CFA_OK 0
/** An argument is NULL, out of range, not a known value, or a structure has a wrong size. */
#define CFA_ERR_ARGUMENT (-1)
/** A defect of this library. */
#define CFA_ERR_INTERNAL (-2)
/** This build of the library does not have the function; no function of this version returns it. */
#define CFA_ERR_NOT_BUILT (-3)
/** The progress function asked to stop. */
#define CFA_ERR_CANCELLED (-4)
/** An unknown name, or an index that is out of range. */
#define CFA_ERR_NOT_FOUND (-5)
/** A buffer is too small. */
#define CFA_ERR_BUFFER (-6)
/** The values cannot be given in the type asked for. */
#define CFA_ERR_TYPE (-7)
/** A file cannot be read or written. */
#define CFA_ERR_IO (-8)
/** The file is not netCDF. */
#define CFA_ERR_NOT_NETCDF (-9)
/** The file is netCDF but damaged or truncated. */
#define CFA_ERR_DAMAGED (-10)
/** The access settings do not allow a location. */
#define CFA_ERR_POLICY (-11)
/** A limit of the settings, or memory, is exceeded. */
#define CFA_ERR_LIMIT (-12)
/** Something valid that this version does not support. */
#define CFA_ERR_UNSUPPORTED (-13)
/** An attribute has the wrong type or form. */
#define CFA_ERR_ATTRIBUTE (-20)
/** The keywords of an aggregation are not a known set. */
#define CFA_ERR_TERMS (-21)
/** A dimension that an aggregation names does not exist. */
#define CFA_ERR_MISSING_DIMENSION (-22)
/** A variable that an aggregation names does not exist. */
#define CFA_ERR_MISSING_VARIABLE (-23)
/** A variable that describes fragments has the wrong dimensions. */
#define CFA_ERR_RANK (-24)
/** Fragment sizes or index ranges do not tile the aggregated dimensions. */
#define CFA_ERR_MAP (-25)
/** A fragment location is not a URI that the convention allows. */
#define CFA_ERR_URI (-26)
/** The identifier of a fragment is absent or malformed. */
#define CFA_ERR_ADDRESS (-27)
/** The format of a fragment is not one that can be read. */
#define CFA_ERR_FORMAT (-28)
/** No version of a fragment exists. */
#define CFA_ERR_FRAGMENT_MISSING (-29)
/** The file of a fragment cannot be read or is damaged. */
#define CFA_ERR_FRAGMENT_UNREADABLE (-30)
/** The file of a fragment does not have the variable. */
#define CFA_ERR_FRAGMENT_VARIABLE (-31)
/** The shape of a fragment is not its canonical shape. */
#define CFA_ERR_FRAGMENT_SHAPE (-32)
/** The values of a fragment cannot be converted to the type of the aggregation. */
#define CFA_ERR_FRAGMENT_TYPE (-33)
/** The units of a fragment cannot be converted. */
#define CFA_ERR_UNITS (-34)
/** The calendar of a fragment differs or is not supported. */
#define CFA_ERR_CALENDAR (-35)
/** An aggregation refers to itself. */
#define CFA_ERR_CYCLE (-36)

/**
 * Returns the name of a status as the header spells it, such as "CFA_ERR_UNITS".
 *
 * @param status any number
 * @return the name, "CFA_ERR_UNKNOWN" for a number that is no status; never NULL, valid for ever
 */
const char *cfa_status_name(cfa_status status);

/**
 * Returns the category of a status, such as "units": a stable lower-case word, the same in all interfaces.
 *
 * @param status any number
 * @return the category, "unknown" for a number that is no status; never NULL, valid for ever
 */
const char *cfa_status_category(cfa_status status);

/**
 * Returns the message of the last call that failed in this thread.
 *
 * One line that names file, variable and fragment where they are known. Successful calls leave it as it is.
 *
 * @return the message, "" when no call has failed yet; never NULL, valid until the next call in this thread
 */
const char *cfa_last_error(void);

/**
 * Returns the status of the last call that failed in this thread.
 *
 * Useful after a function that returns a pointer or a number. cfa_status_category returns its category.
 *
 * @return a CFA_ERR_ code; CFA_OK when no call has failed yet. A call that succeeds leaves it as it is
 */
cfa_status cfa_last_error_status(void);

/**
 * Returns whether the last call that failed in this thread did so because a file does not exist.
 *
 * It distinguishes a file that does not exist from one that cannot be read; the status of both is CFA_ERR_IO. A
 * fragment of which no version exists has a status of its own, CFA_ERR_FRAGMENT_MISSING.
 *
 * @return 1 if the file that cfa_last_error_file returns does not exist, else 0
 */
int32_t cfa_last_error_is_absence(void);

/**
 * Returns the file that the last error of this thread concerns.
 *
 * If the file of a fragment cannot be read or converted, this is that file; if no version of the fragment exists, it
 * is the aggregation file. Passwords and queries in addresses are left out.
 *
 * @return the name, valid until the next call in this thread; NULL if the error concerns no file
 */
const char *cfa_last_error_file(void);

/**
 * Returns the path of the variable that the last error of this thread concerns.
 *
 * @return the path, valid until the next call in this thread; NULL if the error concerns no variable
 */
const char *cfa_last_error_variable(void);

/**
 * Copies the index of the fragment that the last error of this thread concerns.
 *
 * A call of this function that fails replaces the error.
 *
 * @param capacity the room in index, in numbers; the rank of the variable is enough
 * @param index    receives the index of the fragment along each dimension; may be NULL if capacity is 0
 * @param rank     receives the length of the index; 0 if the error concerns no fragment, or that of a scalar
 * @return CFA_OK; CFA_ERR_BUFFER if capacity is less than the length and not 0, CFA_ERR_ARGUMENT
 */
cfa_status cfa_last_error_fragment(size_t capacity, uint64_t *index, size_t *rank);

/* Opening ===========================================================================================================
 *
 * A dataset is an open netCDF file, with or without aggregation variables. Fragments are opened when data are read,
 * within what the settings on access allow.
 *
 *     static cfa_dataset *open_with_filling(const char *path)
 *     {
 *         cfa_dataset *dataset = NULL;
 *         cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
 *         options.missing_fragments = CFA_MISSING_FRAGMENTS_FILL;
 *         if (cfa_dataset_open(path, &options, &dataset) != CFA_OK)
 *             fprintf(stderr, "%s\n", cfa_last_error());
 *         return dataset; // to be freed with cfa_dataset_free
 *     }
 */

/** No aggregation. */
#define CFA_DIALECT_NONE 0
/** CFA-0.4: JSON in the attribute cfa_array. */
#define CFA_DIALECT_CFA_0_4 1
/** Attributes cfa_dimensions and cfa_array with terms. */
#define CFA_DIALECT_CFA_TERMS 2
/** CFA-0.6b1 before file and format became mandatory. */
#define CFA_DIALECT_CFA_0_6B1_EARLY 3
/** CFA-0.6b1: index ranges. */
#define CFA_DIALECT_CFA_0_6B1 4
/** CFA-0.6.2: a table of sizes. */
#define CFA_DIALECT_CFA_0_6_2 5
/** The draft of section 2.8 of the CF conventions. */
#define CFA_DIALECT_CF_DRAFT 6
/** CF-1.13, section 2.8. */
#define CFA_DIALECT_CF_1_13 7

/**
 * Checks whether a file has aggregation variables, by its attributes alone; opens no fragment.
 *
 * A truncated or damaged file counts as an aggregation as long as an aggregation attribute can still be found in it;
 * cfa_dataset_open then reports what is wrong with it.
 *
 * @param path           the file
 * @param is_aggregation receives 1 if a variable of any group has an aggregation attribute, else 0
 * @param dialect        receives the CFA_DIALECT_ number of the first one that is well formed, else
 *                       CFA_DIALECT_NONE; may be NULL
 * @return CFA_OK; CFA_ERR_IO, CFA_ERR_NOT_NETCDF, CFA_ERR_DAMAGED if no such attribute is found, CFA_ERR_ARGUMENT
 */
cfa_status cfa_file_identify(const char *path, int32_t *is_aggregation, int32_t *dialect);

/**
 * Opens a netCDF file, with or without aggregation variables.
 *
 * Fragments are not opened yet, and an aggregation that is not well formed is no error until its variable is used.
 *
 * @param path    the file
 * @param options settings; NULL for the defaults
 * @param dataset receives the dataset, which is the caller's to free with cfa_dataset_free
 * @return CFA_OK; CFA_ERR_IO, CFA_ERR_NOT_NETCDF, CFA_ERR_DAMAGED, CFA_ERR_UNSUPPORTED, CFA_ERR_ARGUMENT
 */
cfa_status cfa_dataset_open(const char *path, const cfa_open_options *options, cfa_dataset **dataset);

/**
 * Closes a dataset. All handles and texts that came from it become invalid.
 *
 * @param dataset the dataset; NULL is fine
 *
 * No other thread may be using the dataset.
 */
void cfa_dataset_free(cfa_dataset *dataset);

/**
 * Reads bytes of a file for cfa_dataset_open_source.
 *
 * Called by any thread, also by several at once and by threads of the library.
 *
 * @param offset    the first byte
 * @param size      the number of bytes, all of them within the length of the file
 * @param buffer    receives the bytes
 * @param user_data as given in the source
 * @return 0 if all bytes were read; anything else is CFA_ERR_IO with this number in the message
 */
typedef int32_t (*cfa_source_read_callback)(uint64_t offset, size_t size, void *buffer, void *user_data);

/**
 * Called once, by cfa_dataset_free, when the library no longer needs a source. If cfa_dataset_open_source
 * fails, the source stays the caller's and this is not called.
 *
 * @param user_data as given in the source
 */
typedef void (*cfa_source_release_callback)(void *user_data);

/**
 * A file that the caller's function reads: in a language's own file object, an object store, an archive.
 *
 * Begin with CFA_SOURCE_INIT. Later versions append fields, of which zero is the default.
 */
struct cfa_source {
  /** sizeof(cfa_source) of the caller. */
  size_t size;
  /** The length of the file in bytes. It and the bytes must not change while the dataset is open. */
  uint64_t length;
  /** Reads bytes. */
  cfa_source_read_callback read;
  /** Called when the source is no longer needed; or NULL. */
  cfa_source_release_callback release;
  /** Handed to the functions above. */
  void *user_data;
};

/** Initialises a cfa_source: all fields have their defaults. */
#define CFA_SOURCE_INIT {sizeof(cfa_source), 0, NULL, NULL, NULL}

/**
 * Opens a netCDF file that is in memory.
 *
 * @param bytes   the file; copied, so that the caller may free it at once
 * @param size    the number of bytes
 * @param name    the path or URL that the file would have: its name in messages, and what relative locations of
 *                fragments are relative to. The settings on what may be opened apply as if it lay there. The
 *                directory of a path must exist
 * @param options settings; NULL for the defaults
 * @param dataset receives the dataset, which is the caller's to free with cfa_dataset_free
 * @return CFA_OK; CFA_ERR_NOT_NETCDF, CFA_ERR_DAMAGED, CFA_ERR_UNSUPPORTED, CFA_ERR_LIMIT, CFA_ERR_ARGUMENT;
 *         CFA_ERR_URI and CFA_ERR_IO if name is not a place where a file could be
 */
cfa_status cfa_dataset_open_memory(const void *bytes,
                                   size_t size,
                                   const char *name,
                                   const cfa_open_options *options,
                                   cfa_dataset **dataset);

/**
 * Opens a netCDF file that a function of the caller reads.
 *
 * Fragments are opened by the library, as those of any other file.
 *
 * @param source  how the file is read; copied
 * @param name    as for cfa_dataset_open_memory
 * @param options settings; NULL for the defaults
 * @param dataset receives the dataset, which is the caller's to free with cfa_dataset_free
 * @return CFA_OK; CFA_ERR_IO if source->read fails; else as cfa_dataset_open_memory
 */
cfa_status cfa_dataset_open_source(const cfa_source *source,
                                   const char *name,
                                   const cfa_open_options *options,
                                   cfa_dataset **dataset);

/* Exploring =========================================================================================================
 *
 * A dataset has groups, dimensions, variables and attributes. The view is the logical one: an aggregation variable has
 * its aggregated dimensions, and what only defines fragments is hidden. An aggregation is decoded when its variable is
 * first used; what is wrong with it does not concern the other variables.
 *
 *     static void list(const cfa_dataset *dataset)
 *     {
 *         for (size_t i = 0; i < cfa_dataset_variable_count(dataset); i++) {
 *             const cfa_variable *variable = cfa_dataset_variable(dataset, i);
 *             printf("%s %s\n", cfa_type_name(cfa_variable_type(variable)), cfa_variable_path(variable));
 *         }
 *     }
 */

/** Signed 8-bit integer. */
#define CFA_TYPE_INT8 1
/** Unsigned 8-bit integer. */
#define CFA_TYPE_UINT8 2
/** Signed 16-bit integer. */
#define CFA_TYPE_INT16 3
/** Unsigned 16-bit integer. */
#define CFA_TYPE_UINT16 4
/** Signed 32-bit integer. */
#define CFA_TYPE_INT32 5
/** Unsigned 32-bit integer. */
#define CFA_TYPE_UINT32 6
/** Signed 64-bit integer. */
#define CFA_TYPE_INT64 7
/** Unsigned 64-bit integer. */
#define CFA_TYPE_UINT64 8
/** 32-bit floating point. */
#define CFA_TYPE_FLOAT32 9
/** 64-bit floating point. */
#define CFA_TYPE_FLOAT64 10
/** One byte of text. */
#define CFA_TYPE_CHAR 11
/** A string of any length; a read buffer has a char pointer for each. */
#define CFA_TYPE_STRING 12

/**
 * Returns the size of one element in a read buffer.
 *
 * @param type CFA_TYPE_INT8 to CFA_TYPE_STRING
 * @return bytes; that of a char pointer for CFA_TYPE_STRING, 0 for a number that is no type
 */
size_t cfa_type_size(int32_t type);

/**
 * Returns the name of a type as in CDL: byte, ubyte, short, ..., double, char, string.
 *
 * @param type CFA_TYPE_INT8 to CFA_TYPE_STRING
 * @return the name, "unknown" for a number that is no type; never NULL, valid for ever
 */
const char *cfa_type_name(int32_t type);

/**
 * Returns the name of the file as it was opened; a byte that is not UTF-8 is shown in the form \xE9.
 *
 * @param dataset the dataset
 * @return the name, valid until cfa_dataset_free; NULL if dataset is NULL
 */
const char *cfa_dataset_name(const cfa_dataset *dataset);

/**
 * Returns the root group, whose attributes are the global attributes.
 *
 * @param dataset the dataset
 * @return the group, borrowed until cfa_dataset_free; NULL if dataset is NULL
 */
const cfa_group *cfa_dataset_root(const cfa_dataset *dataset);

/**
 * Counts the variables of all groups.
 *
 * Variables that only define fragments are left out, unless the dataset was opened with raw_view.
 *
 * @param dataset the dataset
 * @return the number; 0 if dataset is NULL
 */
size_t cfa_dataset_variable_count(const cfa_dataset *dataset);

/**
 * Returns a variable by its number among the variables of all groups, in the order of the file.
 *
 * @param dataset the dataset
 * @param index   0 to cfa_dataset_variable_count - 1
 * @return the variable, borrowed until cfa_dataset_free; NULL if there is none
 */
const cfa_variable *cfa_dataset_variable(const cfa_dataset *dataset, size_t index);

/**
 * Finds a variable by its path.
 *
 * @param dataset  the dataset
 * @param path     "tas", "/tas" or "/group/tas"; variables that only define fragments are found too
 * @param variable receives the variable, borrowed until cfa_dataset_free
 * @return CFA_OK; CFA_ERR_NOT_FOUND with the names there are in the message, CFA_ERR_UNSUPPORTED if its type cannot
 *         be read, CFA_ERR_ARGUMENT
 */
cfa_status cfa_dataset_variable_find(const cfa_dataset *dataset,
                                     const char *path,
                                     const cfa_variable **variable);

/**
 * Finds a group by its path.
 *
 * @param dataset the dataset
 * @param path    "/" or "" for the root, "inner", "/inner" or "/inner/deeper"
 * @param group   receives the group, borrowed until cfa_dataset_free
 * @return CFA_OK; CFA_ERR_NOT_FOUND with the names there are in the message, CFA_ERR_ARGUMENT
 */
cfa_status cfa_dataset_group_find(const cfa_dataset *dataset, const char *path, const cfa_group **group);

/**
 * Finds a dimension by its path.
 *
 * @param dataset   the dataset
 * @param path      "time", "/time" or "/group/x"; dimensions that only fragment definitions have are found too
 * @param dimension receives the dimension, borrowed until cfa_dataset_free
 * @return CFA_OK; CFA_ERR_NOT_FOUND with the names there are in the message, CFA_ERR_ARGUMENT
 */
cfa_status cfa_dataset_dimension_find(const cfa_dataset *dataset,
                                      const char *path,
                                      const cfa_dimension **dimension);

/**
 * Counts the dimensions of all groups.
 *
 * Dimensions that only fragment definitions have are left out, unless the dataset was opened with raw_view.
 *
 * @param dataset the dataset
 * @return the number; 0 if dataset is NULL
 */
size_t cfa_dataset_dimension_count(const cfa_dataset *dataset);

/**
 * Returns a dimension by its number among the dimensions of all groups, in the order of the file.
 *
 * @param dataset the dataset
 * @param index   0 to cfa_dataset_dimension_count - 1
 * @return the dimension, borrowed until cfa_dataset_free; NULL if there is none
 */
const cfa_dimension *cfa_dataset_dimension(const cfa_dataset *dataset, size_t index);

/**
 * Counts the warnings so far: oddities that were tolerated. Reading may add some.
 *
 * @param dataset the dataset
 * @param count   receives the number
 * @return CFA_OK; CFA_ERR_ARGUMENT
 */
cfa_status cfa_dataset_warning_count(const cfa_dataset *dataset, size_t *count);

/**
 * Copies a warning.
 *
 * @param dataset      the dataset
 * @param index        0 to the number of warnings - 1; a warning keeps its index
 * @param buffer       receives the text with its NUL; NULL with buffer_bytes 0 to ask for the size alone
 * @param buffer_bytes the size of buffer
 * @param needed       receives the bytes that the text with its NUL takes, also with CFA_ERR_BUFFER; may be NULL if
 *                     buffer is not
 * @return CFA_OK; CFA_ERR_NOT_FOUND, CFA_ERR_BUFFER, CFA_ERR_ARGUMENT
 */
cfa_status cfa_dataset_warning_copy(const cfa_dataset *dataset,
                                    size_t index,
                                    char *buffer,
                                    size_t buffer_bytes,
                                    size_t *needed);

/**
 * Returns the name of a group, without its path.
 *
 * @param group the group
 * @return the name, "" for the root; valid until cfa_dataset_free; NULL if group is NULL
 */
const char *cfa_group_name(const cfa_group *group);

/**
 * Returns the absolute path of a group.
 *
 * @param group the group
 * @return "/" for the root, else such as "/a/b"; valid until cfa_dataset_free; NULL if group is NULL
 */
const char *cfa_group_path(const cfa_group *group);

/**
 * Returns the group that holds a group.
 *
 * @param group the group
 * @return the group, borrowed until cfa_dataset_free; NULL for the root and if group is NULL
 */
const cfa_group *cfa_group_parent(const cfa_group *group);

/**
 * Counts the groups directly in a group.
 *
 * @param group the group
 * @return the number; 0 if group is NULL
 */
size_t cfa_group_group_count(const cfa_group *group);

/**
 * Returns a group directly in a group.
 *
 * @param group the group
 * @param index 0 to cfa_group_group_count - 1
 * @return the group, borrowed until cfa_dataset_free; NULL if there is none
 */
const cfa_group *cfa_group_group(const cfa_group *group, size_t index);

/**
 * Counts the dimensions that a group defines and the view shows.
 *
 * @param group the group
 * @return the number; 0 if group is NULL
 */
size_t cfa_group_dimension_count(const cfa_group *group);

/**
 * Returns a dimension that a group defines.
 *
 * @param group the group
 * @param index 0 to cfa_group_dimension_count - 1
 * @return the dimension, borrowed until cfa_dataset_free; NULL if there is none
 */
const cfa_dimension *cfa_group_dimension(const cfa_group *group, size_t index);

/**
 * Counts the variables in a group that the view shows.
 *
 * @param group the group
 * @return the number; 0 if group is NULL
 */
size_t cfa_group_variable_count(const cfa_group *group);

/**
 * Returns a variable in a group.
 *
 * @param group the group
 * @param index 0 to cfa_group_variable_count - 1
 * @return the variable, borrowed until cfa_dataset_free; NULL if there is none
 */
const cfa_variable *cfa_group_variable(const cfa_group *group, size_t index);

/**
 * Counts the attributes of a group.
 *
 * @param group the group; the attributes of the root are the global attributes
 * @return the number; 0 if group is NULL
 */
size_t cfa_group_attribute_count(const cfa_group *group);

/**
 * Returns an attribute of a group, in file order.
 *
 * @param group the group
 * @param index 0 to cfa_group_attribute_count - 1
 * @return the attribute, borrowed until cfa_dataset_free; NULL if there is none
 */
const cfa_attribute *cfa_group_attribute(const cfa_group *group, size_t index);

/**
 * Finds an attribute of a group by its name.
 *
 * @param group     the group
 * @param name      the name
 * @param attribute receives the attribute, borrowed until cfa_dataset_free
 * @return CFA_OK; CFA_ERR_NOT_FOUND, CFA_ERR_ARGUMENT
 */
cfa_status cfa_group_attribute_find(const cfa_group *group,
                                    const char *name,
                                    const cfa_attribute **attribute);

/**
 * Returns the name of a dimension, without its path.
 *
 * @param dimension the dimension
 * @return the name, valid until cfa_dataset_free; NULL if dimension is NULL
 */
const char *cfa_dimension_name(const cfa_dimension *dimension);

/**
 * Returns the absolute path of a dimension, such as "/a/time".
 *
 * @param dimension the dimension
 * @return the path, valid until cfa_dataset_free; NULL if dimension is NULL
 */
const char *cfa_dimension_path(const cfa_dimension *dimension);

/**
 * Returns the size of a dimension.
 *
 * An unlimited dimension that only aggregated data have is stored with size 0; its size is that of the data.
 *
 * @param dimension the dimension
 * @return the size; 0 if dimension is NULL
 */
uint64_t cfa_dimension_size(const cfa_dimension *dimension);

/**
 * Returns whether a dimension can grow.
 *
 * @param dimension the dimension
 * @return 1 or 0; 0 if dimension is NULL
 */
int32_t cfa_dimension_is_unlimited(const cfa_dimension *dimension);

/**
 * Returns the group that defines a dimension.
 *
 * @param dimension the dimension
 * @return the group, borrowed until cfa_dataset_free; NULL if dimension is NULL
 */
const cfa_group *cfa_dimension_group(const cfa_dimension *dimension);

/**
 * Returns the name of a variable, without its path.
 *
 * @param variable the variable
 * @return the name, valid until cfa_dataset_free; NULL if variable is NULL
 */
const char *cfa_variable_name(const cfa_variable *variable);

/**
 * Returns the absolute path of a variable, such as "/a/tas".
 *
 * @param variable the variable
 * @return the path, valid until cfa_dataset_free; NULL if variable is NULL
 */
const char *cfa_variable_path(const cfa_variable *variable);

/**
 * Returns the group that holds a variable.
 *
 * @param variable the variable
 * @return the group, borrowed until cfa_dataset_free; NULL if variable is NULL
 */
const cfa_group *cfa_variable_group(const cfa_variable *variable);

/**
 * Returns the type of the data of a variable; for aggregated data that of the aggregation variable.
 *
 * @param variable the variable
 * @return CFA_TYPE_INT8 to CFA_TYPE_STRING; 0 if variable is NULL
 */
int32_t cfa_variable_type(const cfa_variable *variable);

/**
 * Checks that the aggregation of a variable is well formed, without looking at its fragments.
 *
 * @param variable the variable
 * @return CFA_OK, always for a variable that is not aggregated; else what is wrong: CFA_ERR_ATTRIBUTE,
 *         CFA_ERR_TERMS, CFA_ERR_MISSING_DIMENSION, CFA_ERR_MISSING_VARIABLE, CFA_ERR_RANK, CFA_ERR_MAP,
 *         CFA_ERR_LIMIT, CFA_ERR_IO, CFA_ERR_DAMAGED; CFA_ERR_ARGUMENT
 */
cfa_status cfa_variable_check(const cfa_variable *variable);

/**
 * Returns the number of dimensions of a variable.
 *
 * @param variable the variable
 * @param rank     receives the number
 * @return CFA_OK; what cfa_variable_check returns
 */
cfa_status cfa_variable_rank(const cfa_variable *variable, size_t *rank);

/**
 * Returns the shape of a variable.
 *
 * @param variable the variable
 * @param capacity the room in shape
 * @param shape    receives the size of each dimension, slowest first; may be NULL for a scalar
 * @return CFA_OK; CFA_ERR_BUFFER if capacity is less than the rank; what cfa_variable_check returns
 */
cfa_status cfa_variable_shape(const cfa_variable *variable, size_t capacity, uint64_t *shape);

/**
 * Returns a dimension of a variable.
 *
 * @param variable  the variable
 * @param index     0 to the rank - 1, slowest first
 * @param dimension receives the dimension, borrowed until cfa_dataset_free
 * @return CFA_OK; CFA_ERR_NOT_FOUND; what cfa_variable_check returns
 */
cfa_status cfa_variable_dimension(const cfa_variable *variable,
                                  size_t index,
                                  const cfa_dimension **dimension);

/**
 * Counts the attributes of a variable; those that define an aggregation are left out unless the view is raw.
 *
 * @param variable the variable
 * @return the number; 0 if variable is NULL
 */
size_t cfa_variable_attribute_count(const cfa_variable *variable);

/**
 * Returns an attribute of a variable, in file order.
 *
 * @param variable the variable
 * @param index    0 to cfa_variable_attribute_count - 1
 * @return the attribute, borrowed until cfa_dataset_free; NULL if there is none
 */
const cfa_attribute *cfa_variable_attribute(const cfa_variable *variable, size_t index);

/**
 * Finds an attribute of a variable by its name.
 *
 * @param variable  the variable
 * @param name      the name
 * @param attribute receives the attribute, borrowed until cfa_dataset_free
 * @return CFA_OK; CFA_ERR_NOT_FOUND, CFA_ERR_ARGUMENT
 */
cfa_status cfa_variable_attribute_find(const cfa_variable *variable,
                                       const char *name,
                                       const cfa_attribute **attribute);

/**
 * Returns whether a variable is an aggregation variable; cfa_variable_check reports whether it is well formed.
 *
 * @param variable the variable
 * @return 1 or 0; 0 in the raw view and if variable is NULL
 */
int32_t cfa_variable_is_aggregated(const cfa_variable *variable);

/**
 * Returns the convention that an aggregation variable follows.
 *
 * @param variable the variable
 * @return a CFA_DIALECT_ number; CFA_DIALECT_NONE if it is not aggregated or not well formed
 */
int32_t cfa_variable_dialect(const cfa_variable *variable);

/**
 * Returns the number that stands for missing data where a read has no mask: _FillValue, missing_value, or the
 * default fill value of the type.
 *
 * @param variable    the variable
 * @param has         receives 1 if there is one, else 0 (integers of one byte have no default, unless the setting
 *                    MISSING_BYTES chooses one for aggregated data; text has none)
 * @param value       receives the number in the type of the variable; may be NULL
 * @param value_bytes the size of value; cfa_type_size of the type at least
 * @return CFA_OK; CFA_ERR_BUFFER, CFA_ERR_ARGUMENT
 */
cfa_status cfa_variable_missing_value(const cfa_variable *variable,
                                      int32_t *has,
                                      void *value,
                                      size_t value_bytes);

/**
 * Returns the scale factor and the offset of packed data: a stored number x means x * scale + offset.
 *
 * cfa_variable_read returns the packed numbers unless options->unpacked is set.
 *
 * @param variable   the variable
 * @param has_scale  receives 1 if there is a scale factor, else 0
 * @param scale      receives it, 1 if there is none
 * @param has_offset receives 1 if there is an offset, else 0
 * @param offset     receives it, 0 if there is none
 * @return CFA_OK; CFA_ERR_TYPE if an attribute is not a number, CFA_ERR_ARGUMENT
 *
 * Each output may be NULL.
 */
cfa_status cfa_variable_scale_offset(const cfa_variable *variable,
                                     int32_t *has_scale,
                                     double *scale,
                                     int32_t *has_offset,
                                     double *offset);

/**
 * Returns the type of the unpacked numbers of a variable: for packed data the type that CF section 8.1 derives from
 * scale factor and offset, for integers with _Unsigned the unsigned type.
 *
 * cfa_variable_read_unpacked returns these numbers, as doubles.
 *
 * @param variable the variable
 * @return CFA_TYPE_INT8 to CFA_TYPE_STRING, that of cfa_variable_type for data that are not packed; 0 if variable is
 *         NULL
 */
int32_t cfa_variable_unpacked_type(const cfa_variable *variable);

/**
 * Returns the units of a variable.
 *
 * @param variable the variable
 * @return the text of its units attribute, valid until cfa_dataset_free; NULL if there is none
 */
const char *cfa_variable_units(const cfa_variable *variable);

/**
 * Returns the shape of a block that is good to read at a time: a chunk as stored, within one fragment.
 *
 * May open the first fragment; if that cannot be read, the block is the whole fragment. Reads of any shape are
 * correct.
 *
 * @param variable the variable
 * @param capacity the room in block
 * @param block    receives a size per dimension, at least 1 where the dimension is not empty; may be NULL for a
 *                 scalar
 * @return CFA_OK; CFA_ERR_BUFFER if capacity is less than the rank; what cfa_variable_check returns
 */
cfa_status cfa_variable_block_shape(const cfa_variable *variable, size_t capacity, uint64_t *block);

/**
 * Returns the name of an attribute.
 *
 * @param attribute the attribute
 * @return the name, valid until cfa_dataset_free; NULL if attribute is NULL
 */
const char *cfa_attribute_name(const cfa_attribute *attribute);

/**
 * Returns the type of the elements of an attribute.
 *
 * @param attribute the attribute
 * @return CFA_TYPE_INT8 to CFA_TYPE_STRING; 0 if attribute is NULL
 */
int32_t cfa_attribute_type(const cfa_attribute *attribute);

/**
 * Returns the number of elements of an attribute.
 *
 * @param attribute the attribute
 * @return numbers or strings, or bytes of text for CFA_TYPE_CHAR; 0 if attribute is NULL
 */
size_t cfa_attribute_length(const cfa_attribute *attribute);

/**
 * Returns the text of an attribute that is one text: of type CFA_TYPE_CHAR, or CFA_TYPE_STRING with one element.
 *
 * Text is UTF-8; bytes that are not are taken as Latin-1. It ends at its first NUL.
 *
 * @param attribute the attribute
 * @return the text, valid until cfa_dataset_free; NULL if it is not one text
 */
const char *cfa_attribute_text(const cfa_attribute *attribute);

/**
 * Returns one string of an attribute of type CFA_TYPE_STRING.
 *
 * @param attribute the attribute
 * @param index     0 to cfa_attribute_length - 1
 * @param text      receives the string, valid until cfa_dataset_free
 * @return CFA_OK; CFA_ERR_TYPE if it is not of type CFA_TYPE_STRING, CFA_ERR_NOT_FOUND, CFA_ERR_ARGUMENT
 */
cfa_status cfa_attribute_string(const cfa_attribute *attribute, size_t index, const char **text);

/**
 * Reads all numbers of an attribute, converted to a type, or the bytes of one of type CFA_TYPE_CHAR.
 *
 * @param attribute    the attribute
 * @param type         CFA_TYPE_INT8 to CFA_TYPE_FLOAT64, or CFA_TYPE_CHAR for an attribute of that type
 * @param buffer       receives cfa_attribute_length elements
 * @param buffer_bytes the size of buffer
 * @return CFA_OK; CFA_ERR_TYPE if the attribute is text or a number does not fit the type (a fraction or a number
 *         out of range for an integer type), CFA_ERR_BUFFER, CFA_ERR_ARGUMENT
 */
cfa_status cfa_attribute_read(const cfa_attribute *attribute, int32_t type, void *buffer, size_t buffer_bytes);

/* Reading ===========================================================================================================
 *
 * One function reads all variables, in any type that holds the values. start, count and step choose the part, by
 * indices; cfa_variable_select finds them for coordinates and dates.
 *
 *     static cfa_status read_march(const cfa_variable *tas, size_t bytes, float *values)
 *     {
 *         const char *select[] = {"time=2001-03", "lat=45..60", NULL};
 *         uint64_t start[3];
 *         size_t count[3];
 *         cfa_read_options options = CFA_READ_OPTIONS_INIT;
 *         options.missing_as_nan = CFA_CHOICE_YES;
 *         cfa_status status = cfa_variable_select(tas, select, 3, start, count);
 *         if (status == CFA_OK)
 *             status = cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT32, bytes, values, &options);
 *         return status;
 *     }
 */

/**
 * Called with the fraction of the work that is done.
 *
 * It may call functions of this library.
 *
 * @param fraction  from 0 to 1
 * @param user_data as given in the options
 * @return 0 to stop the work, which then returns CFA_ERR_CANCELLED; anything else to go on
 */
typedef int32_t (*cfa_progress_callback)(double fraction, void *user_data);

/**
 * Reads a part of a variable into a buffer.
 *
 * Element (i, j, ...) of the result is element (start[0] + i * step[0], start[1] + j * step[1], ...) of the
 * variable; it is written at buffer + i * buffer_stride[0] + j * buffer_stride[1] + ..., counted in elements. Types
 * of arguments are those of GDAL's multidimensional Read.
 *
 * Where data are missing, the buffer receives the number of cfa_variable_missing_value, or NULL for a string, and the
 * mask receives 0. The mask does not depend on the type. If there is no such number, missing data are an error unless
 * there is a mask. If a variable that is not aggregated has several missing values, a read in its own type returns
 * them as they are stored. With options->missing_as_nan, all missing data are NaN. Packed data are returned packed
 * (cfa_variable_scale_offset) unless options->unpacked is set.
 *
 * @param variable      the variable
 * @param start         first index along each dimension; may be NULL for a scalar, as may the next three
 * @param count         number of indices along each dimension; may be 0
 * @param step          distance between indices, may be negative, not 0; NULL for 1 everywhere
 * @param buffer_stride distance in the buffer, in elements, may be negative; NULL for C order. Strides may let
 *                      several elements share a place, and then one of them is there in the end; strings may not
 *                      share any, since all but one would be lost and never freed
 * @param type          type of the buffer: that of the variable, or for numbers any other number type; values that
 *                      do not fit it are an error, unless lossy is set: then fractions are cut off, and what is out
 *                      of range, or would become infinite, is missing
 * @param buffer_bytes  size of the buffer in bytes, from buffer on (from options->buffer_start on, if that is set)
 * @param buffer        where element (0, 0, ...) goes; for CFA_TYPE_STRING an array of char pointers, whose old
 *                      values are overwritten and whose new ones are freed with cfa_strings_free
 * @param options       mask, progress and so on; NULL for none
 * @return CFA_OK; CFA_ERR_ARGUMENT if the part is not within the variable or strings would share a place,
 *         CFA_ERR_BUFFER if an element would lie outside buffer or mask, CFA_ERR_TYPE, CFA_ERR_CANCELLED;
 *         CFA_ERR_FRAGMENT_MISSING and all other errors of the aggregation or a fragment
 *
 * After an error the contents of buffer and mask are not defined, except that no strings are left to free.
 * The read may use several threads.
 */
cfa_status cfa_variable_read(const cfa_variable *variable,
                             const uint64_t *start,
                             const size_t *count,
                             const int64_t *step,
                             const ptrdiff_t *buffer_stride,
                             int32_t type,
                             size_t buffer_bytes,
                             void *buffer,
                             const cfa_read_options *options);

/**
 * Reads unpacked numbers, such as coordinates: scaled by scale_factor and add_offset, unsigned if _Unsigned says so,
 * and NaN where they are missing. cfa_time_format takes such numbers.
 *
 * @param variable the variable
 * @param start    as for cfa_variable_read
 * @param count    as for cfa_variable_read
 * @param step     as for cfa_variable_read
 * @param capacity the room in values
 * @param values   receives the numbers in C order
 * @return CFA_OK; CFA_ERR_BUFFER if capacity is less than the number of elements, CFA_ERR_TYPE for text,
 *         CFA_ERR_ATTRIBUTE if scale_factor or add_offset is not a number; else as cfa_variable_read
 */
cfa_status cfa_variable_read_unpacked(const cfa_variable *variable,
                                      const uint64_t *start,
                                      const size_t *count,
                                      const int64_t *step,
                                      size_t capacity,
                                      double *values);

/**
 * Announces that a part will be read soon, so that it may be fetched and decoded ahead. No read depends on it, and
 * only some of the part may be kept.
 *
 * @param variable the variable
 * @param start    as for cfa_variable_read
 * @param count    as for cfa_variable_read
 * @param step     as for cfa_variable_read
 * @return CFA_OK; CFA_ERR_ARGUMENT if the part is not within the variable; what cfa_variable_check returns. What is
 *         wrong with a fragment is reported by the read.
 */
cfa_status cfa_variable_advise(const cfa_variable *variable,
                               const uint64_t *start,
                               const size_t *count,
                               const int64_t *step);

/**
 * Finds the part of a variable that lies at these coordinates, for any function that takes start and count.
 *
 * Both ends of a range are included, and an end that is left out is that of the dimension. Dates are compared as far
 * as they are written: "time=2001-03" is the whole of March. Numbers are in the units of the coordinates. Where a
 * dimension has no coordinates, its indices serve. Dimensions that are not named are whole.
 *
 * A value without an equal coordinate means the cell whose bounds contain it, and "lat~45.3" the nearest coordinate.
 * Longitudes may be those of any turn of the circle. The part must be one range of indices along each dimension: what
 * is several ("lon=-20..20" where a file counts from 0 to 359) is an error that names them.
 *
 * @param variable the variable
 * @param select   "dimension=value" or "dimension=value..value" each, such as "lat=45..60" and "station=Oslo"; a
 *                 list that ends with NULL; NULL for all of the variable
 * @param capacity the room in start and count, in numbers
 * @param start    receives the first index along each dimension; may be NULL for a scalar
 * @param count    receives the number of indices along each dimension; may be NULL for a scalar
 * @return CFA_OK; CFA_ERR_ARGUMENT if a text is not understood, if nothing lies there (the message has the coordinates
 *         there are) or if the part is several ranges, CFA_ERR_BUFFER if capacity is less than the rank; what
 *         cfa_variable_read returns, for coordinates
 */
cfa_status cfa_variable_select(const cfa_variable *variable,
                               const char *const *select,
                               size_t capacity,
                               uint64_t *start,
                               size_t *count);

/**
 * Frees strings that cfa_variable_read put into a buffer, and sets each pointer to NULL; the buffer stays the
 * caller's.
 *
 * @param strings the buffer; entries that are NULL are ignored; may be NULL if count is 0
 * @param count   the number of pointers in it
 */
void cfa_strings_free(char **strings, size_t count);

/**
 * Writes a time of a calendar as a date, such as "2001-03-01 12:00:00".
 *
 * @param units        as the units attribute: "days since 2000-01-01"
 * @param calendar     as the calendar attribute; NULL for the standard one; leap seconds of utc and tai are not
 *                     counted
 * @param value        the number of these units, unpacked (cfa_variable_read_unpacked)
 * @param buffer       receives the text with its NUL; NULL with buffer_bytes 0 to ask for the size alone
 * @param buffer_bytes the size of buffer
 * @param needed       receives the bytes that the text with its NUL takes, also with CFA_ERR_BUFFER; may be NULL if
 *                     buffer is not
 * @return CFA_OK; CFA_ERR_UNITS when this is not a time, CFA_ERR_CALENDAR, CFA_ERR_BUFFER, CFA_ERR_ARGUMENT
 */
cfa_status cfa_time_format(const char *units,
                           const char *calendar,
                           double value,
                           char *buffer,
                           size_t buffer_bytes,
                           size_t *needed);

/* Fragments =========================================================================================================
 *
 * The data of an aggregation variable are tiled by an array of fragments. A file provides a fragment, or any one of
 * several does: its versions. Indices of fragments have one number per dimension of the variable.
 *
 *     static int32_t show(const cfa_fragment *fragment, void *user_data)
 *     {
 *         (void)user_data;
 *         if (fragment->state == CFA_STATE_MISSING)
 *             printf("%s is not there\n", fragment->locations[0]);
 *         return 1;
 *     }
 *
 *     static cfa_status list_missing_files(const cfa_variable *variable)
 *     {
 *         return cfa_variable_fragments_visit(variable, NULL, NULL, CFA_CHOICE_YES, show, NULL);
 *     }
 */

/**
 * Returns the shape of the array of fragments of an aggregation variable.
 *
 * @param variable  the variable
 * @param capacity  the room in fragments
 * @param fragments receives the number of fragments along each dimension; may be NULL for a scalar
 * @return CFA_OK; CFA_ERR_TYPE if it is not aggregated, CFA_ERR_BUFFER if capacity is less than the rank; what
 *         cfa_variable_check returns
 */
cfa_status cfa_variable_fragment_grid(const cfa_variable *variable, size_t capacity, uint64_t *fragments);

/**
 * Returns the part of the aggregated data that a fragment provides.
 *
 * @param variable the variable
 * @param index    the index of the fragment along each dimension; may be NULL for a scalar
 * @param start    receives the first index along each dimension
 * @param count    receives the number of indices along each dimension
 * @return CFA_OK; CFA_ERR_TYPE if it is not aggregated, CFA_ERR_NOT_FOUND if there is no such fragment; what
 *         cfa_variable_check returns
 */
cfa_status cfa_variable_fragment_range(const cfa_variable *variable,
                                       const uint64_t *index,
                                       uint64_t *start,
                                       uint64_t *count);

/**
 * Counts the versions of a fragment: files of which any one provides it.
 *
 * @param variable the variable
 * @param index    the index of the fragment along each dimension; may be NULL for a scalar
 * @param count    receives the number; 0 if all of the fragment is missing or one value
 * @return CFA_OK; CFA_ERR_TYPE if it is not aggregated, CFA_ERR_NOT_FOUND if there is no such fragment; CFA_ERR_URI,
 *         CFA_ERR_ADDRESS, CFA_ERR_FORMAT if its entry is not well formed; what cfa_variable_check returns
 */
cfa_status cfa_variable_fragment_version_count(const cfa_variable *variable,
                                               const uint64_t *index,
                                               size_t *count);

/**
 * Copies the location of a version of a fragment: a URI or file name after substitutions, "" for the aggregation
 * file itself.
 *
 * @param variable     the variable
 * @param index        the index of the fragment along each dimension; may be NULL for a scalar
 * @param version      0 to the number of versions - 1
 * @param buffer       receives the text with its NUL; NULL with buffer_bytes 0 to ask for the size alone
 * @param buffer_bytes the size of buffer
 * @param needed       receives the bytes that the text with its NUL takes, also with CFA_ERR_BUFFER; may be NULL if
 *                     buffer is not
 * @return CFA_OK; CFA_ERR_NOT_FOUND, CFA_ERR_BUFFER; what cfa_variable_fragment_version_count returns
 */
cfa_status cfa_variable_fragment_location(const cfa_variable *variable,
                                          const uint64_t *index,
                                          size_t version,
                                          char *buffer,
                                          size_t buffer_bytes,
                                          size_t *needed);

/**
 * Copies the identifier of a version of a fragment: the name of the variable in its file.
 *
 * @param variable     the variable
 * @param index        the index of the fragment along each dimension; may be NULL for a scalar
 * @param version      0 to the number of versions - 1
 * @param buffer       receives the text with its NUL; NULL with buffer_bytes 0 to ask for the size alone
 * @param buffer_bytes the size of buffer
 * @param needed       receives the bytes that the text with its NUL takes, also with CFA_ERR_BUFFER; may be NULL if
 *                     buffer is not
 * @return CFA_OK; CFA_ERR_NOT_FOUND, CFA_ERR_BUFFER; what cfa_variable_fragment_version_count returns
 */
cfa_status cfa_variable_fragment_identifier(const cfa_variable *variable,
                                            const uint64_t *index,
                                            size_t version,
                                            char *buffer,
                                            size_t buffer_bytes,
                                            size_t *needed);

/** Nobody has looked for the fragment. */
#define CFA_STATE_UNCHECKED 0
/** The fragment needs no file: a unique value, or wholly missing by definition. */
#define CFA_STATE_NO_FILE 1
/** The first version of the fragment exists and fits. */
#define CFA_STATE_PRESENT 2
/** The first version of the fragment does not exist or fit; another one does. */
#define CFA_STATE_OTHER_VERSION 3
/** The fragment has changed since its state was recorded. */
#define CFA_STATE_CHANGED 4
/** No version of the fragment exists. */
#define CFA_STATE_MISSING 5
/** The fragment exists, and does not fit or cannot be read. */
#define CFA_STATE_WRONG 6

/**
 * A fragment of an aggregation variable. All that it points at is valid during the call that shows it; later
 * versions append fields.
 */
struct cfa_fragment {
  /** The number of dimensions: the length of index, start and count. */
  size_t rank;
  /** Its index in the array of fragments. */
  const uint64_t *index;
  /** The first index of the aggregated data that it provides, along each dimension. */
  const uint64_t *start;
  /** The number of indices of the aggregated data that it provides, along each dimension. */
  const uint64_t *count;
  /** The number of versions: files of which any one provides it; 0 if all of it is missing or one value. */
  size_t version_count;
  /** The location of each version: a URI or file name after substitutions, "" for the aggregation file itself. */
  const char *const *locations;
  /** The identifier of each version: the name of the variable in its file. */
  const char *const *identifiers;
  /**
   * CFA_STATE_NO_FILE where there are no versions. Else CFA_STATE_UNCHECKED or, if files were looked for,
   * CFA_STATE_PRESENT, CFA_STATE_OTHER_VERSION, CFA_STATE_MISSING, or CFA_STATE_WRONG for a file that may not or
   * cannot be opened. Whether a file fits is left to cfa_aggregation_check.
   */
  int32_t state;
  /** 1 if all of it is one value that the aggregation file holds, else 0. */
  int32_t is_unique_value;
};

/**
 * Called for each fragment.
 *
 * @param fragment  the fragment, valid during the call
 * @param user_data as given to cfa_variable_fragments_visit
 * @return 0 to stop, which then returns CFA_ERR_CANCELLED; anything else to go on
 */
typedef int32_t (*cfa_fragment_callback)(const cfa_fragment *fragment, void *user_data);

/**
 * Copies the sizes of all fragments along one dimension of an aggregation variable.
 *
 * @param variable  the variable
 * @param dimension 0 to the rank - 1
 * @param capacity  the room in sizes, in numbers
 * @param sizes     receives as many numbers as cfa_variable_fragment_grid says for the dimension; their sum is the
 *                  size of the dimension
 * @return CFA_OK; CFA_ERR_TYPE if it is not aggregated, CFA_ERR_NOT_FOUND if there is no such dimension,
 *         CFA_ERR_BUFFER if capacity is too small; what cfa_variable_check returns
 */
cfa_status cfa_variable_fragment_sizes(const cfa_variable *variable,
                                       size_t dimension,
                                       size_t capacity,
                                       uint64_t *sizes);

/**
 * Calls a function for each fragment of a part of the array of fragments, in C order, with its place, locations,
 * identifiers and state.
 *
 * @param variable       the variable
 * @param start          the first fragment along each dimension; NULL for 0 everywhere
 * @param count          the number of fragments along each dimension; NULL for all from start on
 * @param look_for_files CFA_CHOICE_YES to look whether the files of the fragments are there, which takes time, on
 *                       servers much of it; CFA_CHOICE_DEFAULT or CFA_CHOICE_NO not to
 * @param callback       is called for each fragment
 * @param user_data      handed to callback
 * @return CFA_OK; CFA_ERR_CANCELLED if callback said so, CFA_ERR_TYPE if the variable is not aggregated,
 *         CFA_ERR_ARGUMENT if the part is not within the array of fragments; CFA_ERR_URI, CFA_ERR_ADDRESS,
 *         CFA_ERR_FORMAT if an entry is not well formed; what cfa_variable_check returns
 */
cfa_status cfa_variable_fragments_visit(const cfa_variable *variable,
                                        const uint64_t *start,
                                        const uint64_t *count,
                                        int32_t look_for_files,
                                        cfa_fragment_callback callback,
                                        void *user_data);

/**
 * A chunk of a file, which has the values of a block of an aggregation variable. All that it points at is valid during
 * the call that shows it; later versions append fields.
 */
struct cfa_chunk {
  /** The name of the file. */
  const char *file;
  /** Its offset in the file. */
  uint64_t offset;
  /** The number of bytes that are stored there. */
  uint64_t size;
  /** The number of filters that were applied to it. */
  size_t filter_count;
  /** Their numbers in HDF5, in the order in which they were applied: 1 is deflate, 2 shuffle. */
  const uint32_t *filters;
  /** 1 if numbers of several bytes begin with the most significant one, else 0. */
  int32_t is_big_endian;
};

/**
 * Called with a chunk.
 *
 * @param chunk     the chunk, valid during the call
 * @param user_data as given to cfa_variable_chunk_visit
 * @return 0 to make cfa_variable_chunk_visit return CFA_ERR_CANCELLED; anything else for CFA_OK
 */
typedef int32_t (*cfa_chunk_callback)(const cfa_chunk *chunk, void *user_data);

/**
 * Calls a function with the place of the chunk that has the values of a block of an aggregation variable, if there is
 * one: a chunk, or a whole array without chunks, of one local file, whose shape is that of the block and whose values
 * need no conversion. Else the function is not called.
 *
 * At the end of a variable the chunk may be larger than the rest of it.
 *
 * @param variable  the variable
 * @param start     the first index of the block along each dimension; may be NULL for a scalar
 * @param block     the shape of the block, such as cfa_variable_block_shape returns; may be NULL for a scalar
 * @param callback  is called at most once
 * @param user_data handed to callback
 * @return CFA_OK; CFA_ERR_CANCELLED if callback said so; what cfa_variable_read returns for the first element
 */
cfa_status cfa_variable_chunk_visit(const cfa_variable *variable,
                                    const uint64_t *start,
                                    const uint64_t *block,
                                    cfa_chunk_callback callback,
                                    void *user_data);

/* Writing ===========================================================================================================
 *
 * Aggregation files are made of the files that hold their parts, checked, converted to another dialect, and extracted
 * into one plain file. What is read is never replaced; a new file takes its name when all of it is on the disk.
 *
 *     static cfa_status join(const char *const *files, size_t file_count)
 *     {
 *         uint64_t violated = 0;
 *         cfa_check_options options = CFA_CHECK_OPTIONS_INIT;
 *         options.fragments = CFA_CHOICE_YES;
 *         cfa_status status = cfa_aggregation_create("year.nc", files, file_count, NULL);
 *         if (status == CFA_OK)
 *             status = cfa_aggregation_check("year.nc", &options, &violated);
 *         return status;
 *     }
 */

/**
 * Called for each thing that is odd or was left out.
 *
 * @param text      one line, valid during the call
 * @param user_data as given in the options
 */
typedef void (*cfa_note_callback)(const char *text, void *user_data);

/**
 * A part of a dimension: what one file, or several with the same coordinates, have of it. All texts are valid during
 * the call that shows them; later versions append fields.
 */
struct cfa_planned_part {
  /** Indices along the dimension. */
  uint64_t size;
  /**
   * The first and last coordinate in the units of the first part, such as "31 to 58", with dates where they are times;
   * "part of size 28" where there are none. For people to read.
   */
  const char *coordinates;
  /** One of the files; a byte of its name that is not UTF-8 is shown in the form \xE9. For people to read. */
  const char *file;
};

/** A dimension of a planned variable. */
struct cfa_planned_dimension {
  /** Its name in the files. */
  const char *name;
  /** Its size. */
  uint64_t size;
  /** The number of parts. */
  size_t part_count;
  /** The parts in order. */
  const cfa_planned_part *const *parts;
  /** 1 if the files do not have the dimension, else 0. */
  int32_t is_new;
};

/** A data variable that is, or with dry_run would be, in the aggregation file. */
struct cfa_planned_variable {
  /** Its name. */
  const char *name;
  /** The number of its dimensions. */
  size_t rank;
  /** Its dimensions. */
  const cfa_planned_dimension *const *dimensions;
  /** The number of its fragments. */
  uint64_t fragment_count;
  /** 1 if it is the same in all files and stored by value, else 0. */
  int32_t is_static;
};

/**
 * Called for each variable that was made or planned.
 *
 * @param variable  what was planned, valid during the call
 * @param user_data as given in the options
 */
typedef void (*cfa_describe_callback)(const cfa_planned_variable *variable, void *user_data);

/** No rule of the conventions, but worth knowing. */
#define CFA_SEVERITY_NOTE 1
/** The text of the convention says "should". */
#define CFA_SEVERITY_RECOMMENDATION 2
/** The text of the convention says "must", or the data cannot be read. */
#define CFA_SEVERITY_REQUIREMENT 3

/**
 * A violation of a rule, or something worth knowing. All that it points at is valid during the call that shows it;
 * later versions append fields.
 */
struct cfa_finding {
  /** CFA_SEVERITY_REQUIREMENT, CFA_SEVERITY_RECOMMENDATION or CFA_SEVERITY_NOTE. */
  int32_t severity;
  /** The length of fragment. */
  size_t rank;
  /** The index of the fragment concerned in the array of fragments; NULL if it does not concern a single one. */
  const uint64_t *fragment;
  /** The aggregation variable concerned; NULL for the file. */
  const char *variable;
  /** The stable name of the rule, such as "fragment-present". */
  const char *rule;
  /** The clause that states it; "" if no text states it. */
  const char *clause;
  /** What is wrong, on one line. */
  const char *message;
  /** The number of findings that this one represents: more than 1 if it counts those that are not listed. */
  uint64_t count;
};

/**
 * An aggregation variable that was checked. All that it points at is valid during the call that shows it; later
 * versions append fields.
 */
struct cfa_checked_variable {
  /** Its path. */
  const char *path;
  /** The CFA_DIALECT_ number of the convention that it follows. */
  int32_t dialect;
  /** The type of its elements, CFA_TYPE_INT8 to CFA_TYPE_STRING. */
  int32_t type;
  /** 1 if its aggregation could be decoded, else 0 and the rest is empty. */
  int32_t is_decoded;
  /** The number of its dimensions. */
  size_t rank;
  /** The size of each dimension. */
  const uint64_t *shape;
  /** The number of fragments along each dimension. */
  const uint64_t *fragments;
  /** A CFA_STATE_ number for each fragment in C order; NULL if fragments were not opened. */
  const uint8_t *states;
  /** The length of states. */
  size_t state_count;
};

/**
 * Called for each finding.
 *
 * @param finding   what was found, valid during the call
 * @param user_data as given in the options
 */
typedef void (*cfa_finding_callback)(const cfa_finding *finding, void *user_data);

/**
 * Called for each variable that was checked.
 *
 * @param variable  what was checked, valid during the call
 * @param user_data as given in the options
 */
typedef void (*cfa_checked_callback)(const cfa_checked_variable *variable, void *user_data);

/**
 * Makes an aggregation file of the files that hold its parts, or adds files to one.
 *
 * out_path is never one of the files, nor a fragment of one that is itself an aggregation, by whatever name: a file
 * that is read is never replaced. An aggregation without data of its own that has the name is replaced, anything
 * else only with options->overwrite. With options->expand, out_path is skipped if a directory or pattern finds it
 * and it is an aggregation. With options->update it must be an aggregation, or absent.
 *
 * Files may be on servers, named by http, https and s3 addresses, which become the locations of the fragments. An
 * address with a password or a query is CFA_ERR_URI: files contain no secrets. out_path is a local file.
 *
 * Dimensions are joined by their coordinates, so the order of the files does not matter. Parts that overlap, occur
 * twice or are missing, and units and types that cannot be converted, are errors that name the files.
 *
 * The new file gets its name when all of it is on the disk. After any error, also CFA_ERR_CANCELLED, the directory is
 * as it was before the call.
 *
 * @param out_path   the aggregation file
 * @param files      the names or addresses of the files
 * @param file_count the length of files
 * @param options    what to make; NULL for the defaults
 * @return CFA_OK; CFA_ERR_ARGUMENT when out_path may not be replaced; CFA_ERR_MAP when the parts do not fit
 *         together, CFA_ERR_UNITS, CFA_ERR_CALENDAR and CFA_ERR_FRAGMENT_TYPE when they cannot be converted,
 *         CFA_ERR_MISSING_VARIABLE, CFA_ERR_UNSUPPORTED when the dialect or format cannot express the result, those
 *         of opening a file, CFA_ERR_IO, also when somebody else made a file of that name meanwhile,
 *         CFA_ERR_CANCELLED
 */
cfa_status cfa_aggregation_create(const char *out_path,
                                  const char *const *files,
                                  size_t file_count,
                                  const cfa_create_options *options);

/**
 * Checks an aggregation file against the rules of the convention that it follows, and with options->fragments each
 * fragment against the aggregation. All faults are reported, not only the first.
 *
 * @param path     the file
 * @param options  what to check, and the functions to call; NULL for the defaults
 * @param violated receives the number of requirements that are violated: 0 for a file that is as it must be
 * @return CFA_OK, whatever was found; CFA_ERR_NOT_NETCDF, CFA_ERR_DAMAGED when the file itself cannot be read,
 *         CFA_ERR_ARGUMENT when a report would replace a file that is not such a report, CFA_ERR_IO when the file
 *         cannot be read or a report cannot be written, CFA_ERR_CANCELLED
 *
 * Several threads open the fragments.
 */
cfa_status cfa_aggregation_check(const char *path, const cfa_check_options *options, uint64_t *violated);

/**
 * Writes an aggregation file in another dialect, or with other locations.
 *
 * Fragments stay where they are, and values read from the new file are those of the old one. What is not aggregated
 * is copied. The new file gets its name, and replaces another, as with cfa_aggregation_create; it is never the old
 * one, nor a fragment of it.
 *
 * @param path     the aggregation file
 * @param out_path the new file
 * @param options  what to write; NULL for the defaults
 * @return CFA_OK; CFA_ERR_ARGUMENT when out_path may not be replaced; CFA_ERR_UNSUPPORTED when the dialect or format
 *         cannot express the file, those of opening it and of decoding its aggregations, CFA_ERR_IO,
 *         CFA_ERR_CANCELLED
 */
cfa_status cfa_aggregation_convert(const char *path, const char *out_path, const cfa_convert_options *options);

/**
 * Writes aggregated data as one plain netCDF-4 file with coordinates and everything else that the variables refer to.
 *
 * Values are those that cfa_variable_read returns in the variable's own type. Memory does not grow with the data. The
 * new file gets its name as with cfa_aggregation_create; it is never the aggregation file, nor a fragment of it,
 * and another file that exists is replaced only with options->overwrite.
 *
 * @param path     the aggregation file
 * @param out_path the new file
 * @param options  what to extract and how to store it; NULL for the defaults
 * @return CFA_OK; CFA_ERR_ARGUMENT when out_path may not be replaced; CFA_ERR_NOT_FOUND when there is no such
 *         dimension, CFA_ERR_MISSING_VARIABLE, those of opening the file and of reading from it, CFA_ERR_IO,
 *         CFA_ERR_CANCELLED
 *
 * Several threads read the data.
 */
cfa_status cfa_aggregation_extract(const char *path, const char *out_path, const cfa_extract_options *options);

/* Options ===========================================================================================================
 *
 * Every structure of options begins with its size, and zero means the default in every other field, now and in later
 * versions. Begin with the _INIT macro or with the _init function, which takes the size of the caller's structure:
 * programs and libraries of different versions then agree. Later versions append fields; a structure of another version
 * is accepted as long as what this one does not know is zero. Settings have names too; the table at the end lists them.
 *
 *     static cfa_status extract(const char *path)
 *     {
 *         cfa_extract_options options;
 *         cfa_extract_options_init(&options, sizeof options);
 *         options.compression = CFA_COMPRESSION_NONE;
 *         return cfa_aggregation_extract(path, "plain.nc", &options);
 *     }
 */

/** For a choice: the default. */
#define CFA_CHOICE_DEFAULT 0
/** For a choice: yes. */
#define CFA_CHOICE_YES 1
/** For a choice: no. */
#define CFA_CHOICE_NO 2
/** A fragment of which no version exists is an error. */
#define CFA_MISSING_FRAGMENTS_ERROR 1
/** If no version of a fragment exists, its data are missing. */
#define CFA_MISSING_FRAGMENTS_FILL 2
/** For max_nesting: no fragment may be an aggregation. Zero means the default here too. */
#define CFA_NESTING_NONE (-1)

/**
 * Options of cfa_dataset_open and of all that opens a file.
 *
 * The defaults are those of the environment variables CFA_MISSING_FRAGMENTS, CFA_NUM_THREADS and so on, or else
 * those of the library.
 */
struct cfa_open_options {
  /** sizeof(cfa_open_options) of the caller. */
  size_t size;
  /**
   * CFA_CHOICE_DEFAULT, CFA_MISSING_FRAGMENTS_ERROR or CFA_MISSING_FRAGMENTS_FILL: what to do about a fragment of
   * which no version exists; by default an error.
   */
  int32_t missing_fragments;
  /**
   * CFA_CHOICE_DEFAULT, CFA_CHOICE_YES or CFA_CHOICE_NO: convert fragments even where values change (fractions are cut
   * off, what is out of range is missing); by default no.
   */
  int32_t lossy_casts;
  /**
   * CFA_CHOICE_DEFAULT, CFA_CHOICE_YES or CFA_CHOICE_NO: show variables, dimensions and attributes as stored instead
   * of the aggregated view; by default no.
   */
  int32_t raw_view;
  /** Threads that a read may use; by default one per core. */
  int32_t num_threads;
  /** Memory for decoded chunks in bytes; by default 64 MiB. */
  uint64_t cache_bytes;
  /** CFA_CHOICE_YES to keep no decoded chunks; cache_bytes must then be 0. */
  int32_t cache_disabled;
  /** Fragment files kept open at a time; by default 100. */
  int32_t max_open_files;
  /** Fragments that one variable may have; by default 10 million. */
  uint64_t max_fragments;
  /** Depth of aggregations whose fragments are aggregations, or CFA_NESTING_NONE; by default 32. */
  int32_t max_nesting;
  /** CFA_CHOICE_YES to ignore the environment variables. */
  int32_t ignore_environment;
  /**
   * What an aggregation file may open: "SIBLINGS", "LOCAL", "DEFAULT", "ALL", or absolute paths and URLs separated
   * by semicolons; NULL for the default.
   */
  const char *allowed_sources;
  /** Replacements in fragment locations, which come before the file's own: "${key}=value;..."; or NULL. */
  const char *substitutions;
  /** Location prefixes that moved: "from=to;..."; or NULL. */
  const char *relocate;
  /**
   * Settings by name: "NAME=value" each, ended by NULL; or NULL for none. The names and values are those of the
   * environment variables CFA_NAME. A field of this structure that is set takes precedence. An unknown name or an
   * invalid value is CFA_ERR_ARGUMENT with a message that names it.
   */
  const char *const *settings;
};

/** Initialises a cfa_open_options: all fields have their defaults. */
#define CFA_OPEN_OPTIONS_INIT {sizeof(cfa_open_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL}

/**
 * Sets all fields of a structure to their defaults, as CFA_OPEN_OPTIONS_INIT does.
 *
 * Writes size bytes and no more, whatever the size of the structure in this version of the library.
 *
 * @param options the structure; does nothing if it is NULL
 * @param size    sizeof(cfa_open_options) of the caller
 */
void cfa_open_options_init(cfa_open_options *options, size_t size);

/** Options of cfa_variable_read. */
struct cfa_read_options {
  /** sizeof(cfa_read_options) of the caller. */
  size_t size;
  /** Receives one byte per element in C order of count, whatever the buffer strides: 1 valid, 0 missing; or NULL. */
  uint8_t *mask;
  /** The size of mask. */
  size_t mask_bytes;
  /** Called now and then during the read; or NULL. */
  cfa_progress_callback progress;
  /** Handed to progress. */
  void *user_data;
  /**
   * The start of the allocation that buffer points into, where buffer strides are negative; buffer_bytes then
   * counts from here. NULL: buffer is the start.
   */
  const void *buffer_start;
  /**
   * CFA_CHOICE_DEFAULT, CFA_CHOICE_YES or CFA_CHOICE_NO: convert values to the type even if they change; by
   * default as the dataset was opened.
   */
  int32_t lossy;
  /** Zero. */
  int32_t reserved;
  /** CFA_CHOICE_YES to return NaN for missing data; for floating-point types. */
  int32_t missing_as_nan;
  /**
   * CFA_CHOICE_YES to return unpacked numbers: by scale_factor and add_offset, unsigned where
   * _Unsigned says so, NaN where they are missing. Types without NaN need a mask where data are missing. Needs more
   * memory, for the packed numbers.
   */
  int32_t unpacked;
};

/** Initialises a cfa_read_options: all fields have their defaults. */
#define CFA_READ_OPTIONS_INIT {sizeof(cfa_read_options), NULL, 0, NULL, NULL, NULL, 0, 0, 0, 0}

/**
 * Sets all fields of a structure to their defaults, as CFA_READ_OPTIONS_INIT does.
 *
 * Writes size bytes and no more, whatever the size of the structure in this version of the library.
 *
 * @param options the structure; does nothing if it is NULL
 * @param size    sizeof(cfa_read_options) of the caller
 */
void cfa_read_options_init(cfa_read_options *options, size_t size);

/** Write netCDF-4. */
#define CFA_FORMAT_NETCDF4 1
/** Write netCDF classic with 64-bit offsets (CDF-2). */
#define CFA_FORMAT_CLASSIC 2
/** Write netCDF classic with 64-bit data (CDF-5). */
#define CFA_FORMAT_CDF5 3
/** Locations of fragments are relative to the aggregation file: both can be moved together. */
#define CFA_LOCATIONS_RELATIVE 1
/** Locations of fragments are absolute. */
#define CFA_LOCATIONS_ABSOLUTE 2
/** Remove fragments whose files are gone from folders that have other files. */
#define CFA_PRUNE_FILES 1
/** Remove all fragments whose files are gone, also if no file of their folder is left. */
#define CFA_PRUNE_FOLDERS 2

/** Options of cfa_aggregation_create. */
struct cfa_create_options {
  /** sizeof(cfa_create_options) of the caller. */
  size_t size;
  /** The convention to follow, a CFA_DIALECT_ number; by default CF-1.13. Not with update: the file keeps its own. */
  int32_t dialect;
  /**
   * CFA_CHOICE_DEFAULT or a CFA_FORMAT_ number: the format of the aggregation file; by default netCDF-4, with
   * update that of the file.
   */
  int32_t format;
  /**
   * CFA_CHOICE_DEFAULT, CFA_LOCATIONS_RELATIVE or CFA_LOCATIONS_ABSOLUTE: how fragments are named; by default relative
   * to the aggregation file.
   */
  int32_t locations;
  /**
   * CFA_CHOICE_YES to add the files to an aggregation file, and to no other sort of file, reading only those that it
   * does not have. If there is no file of the name, it is created.
   */
  int32_t update;
  /** CFA_CHOICE_YES to work out what would be made, call describe and note, and write nothing. */
  int32_t dry_run;
  /**
   * CFA_CHOICE_YES to take the names as the program cfa does: directories stand for the files in them, *, ?, [...] and
   * ** are patterns, @list is a file with names and addresses. By default each name is that of a file or its
   * address.
   */
  int32_t expand;
  /** CFA_CHOICE_YES to record size and time of each file, so that readers notice a change. */
  int32_t record_state;
  /** CFA_CHOICE_YES to accept coordinates that do not follow each other; note is called for each gap. */
  int32_t allow_gaps;
  /** CFA_CHOICE_YES to aggregate coordinates that are divided between files instead of copying them. */
  int32_t aggregate_coordinates;
  /**
   * Threads that scan local files; by default one per core. Of files on servers, as many are scanned at a time as
   * requests may wait.
   */
  int32_t num_threads;
  /**
   * Put before the names relative to the aggregation file, such as the URL of a server; or NULL. Not with locations.
   */
  const char *base;
  /** The data variables to take, a list that ends with NULL; NULL for all. */
  const char *const *variables;
  /**
   * The dimensions along which files may be joined, a list that ends with NULL; NULL for any. One of these that has no
   * coordinates is joined in the order of the files.
   */
  const char *const *dimensions;
  /**
   * A new dimension along which files with the same coordinates are put in their order; or NULL. After its name may
   * follow a source of labels, which then are its coordinates: "=attribute:ATTRIBUTE", "=name:PATTERN",
   * "=path:PATTERN" or "=path".
   */
  const char *new_dimension;
  /** What the attribute history says was done; NULL for the default. */
  const char *history;
  /** Called after success for each data variable; or NULL. */
  cfa_describe_callback describe;
  /** Called after success for each thing that is odd or was left out; or NULL. */
  cfa_note_callback note;
  /**
   * Called with 0 before the work begins, now and then during it, and with 1 when all is done (what it then returns
   * does not count); or NULL.
   */
  cfa_progress_callback progress;
  /** Handed to the functions above. */
  void *user_data;
  /**
   * CFA_CHOICE_YES to replace a file that is no aggregation, or one with data of its own. A file that is read is never
   * replaced. Not with update.
   */
  int32_t overwrite;
  /** CFA_CHOICE_YES to record where the chunks of each file lie, so that readers need not open and parse it first. */
  int32_t record_chunks;
  /**
   * How files are opened: what may be requested from servers, and how. Settings that change values do not count.
   * NULL for the settings of the environment.
   */
  const cfa_open_options *open;
  /**
   * Of a file in several folders for releases (v20190101, v20200101): take the one of this release or the last one
   * before it, or "all" of them; NULL for the newest.
   */
  const char *drs_version;
  /** CFA_CHOICE_YES to go on without files that cannot be read; note is called with their names and the reasons. */
  int32_t skip_bad;
  /**
   * With update, CFA_PRUNE_FILES to remove fragments whose files are gone, unless no file of their folder is left;
   * CFA_PRUNE_FOLDERS to remove them in any case. By default none is removed.
   */
  int32_t prune;
  /**
   * Global attributes of the files to keep, as text variables along the dimensions in which they differ: a list that
   * ends with NULL; or NULL. An update continues those of the aggregation.
   */
  const char *const *keep_attributes;
};

/** Initialises a cfa_create_options: all fields have their defaults. */
#define CFA_CREATE_OPTIONS_INIT \
  {sizeof(cfa_create_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
   NULL, 0, 0, NULL, NULL, 0, 0, NULL}

/**
 * Sets all fields of a structure to their defaults, as CFA_CREATE_OPTIONS_INIT does.
 *
 * Writes size bytes and no more, whatever the size of the structure in this version of the library.
 *
 * @param options the structure; does nothing if it is NULL
 * @param size    sizeof(cfa_create_options) of the caller
 */
void cfa_create_options_init(cfa_create_options *options, size_t size);

/** Options of cfa_aggregation_check. */
struct cfa_check_options {
  /** sizeof(cfa_check_options) of the caller. */
  size_t size;
  /** CFA_CHOICE_YES to open every fragment; html_report implies it. */
  int32_t fragments;
  /** Findings of one rule for one variable that are reported one by one; by default 100, the others are counted. */
  int32_t max_findings;
  /** How the aggregation file and its fragments are opened, and the number of threads; NULL for the defaults. */
  const cfa_open_options *open;
  /** A file to write: a page with a map of the fragments; or NULL. Only a former report of this kind is replaced. */
  const char *html_report;
  /**
   * A file to write: all findings as JSON, as `cfa check --json` prints them; or NULL. Only a former report of this
   * kind is replaced.
   */
  const char *json_report;
  /** Called for each finding, requirements first; or NULL. */
  cfa_finding_callback finding;
  /** Called for each aggregation variable, before the findings; or NULL. */
  cfa_checked_callback checked;
  /**
   * Called with 0 before the work begins, now and then during it, and with 1 when all is done (what it then returns
   * does not count); or NULL.
   */
  cfa_progress_callback progress;
  /** Handed to the functions above. */
  void *user_data;
};

/** Initialises a cfa_check_options: all fields have their defaults. */
#define CFA_CHECK_OPTIONS_INIT {sizeof(cfa_check_options), 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL}

/**
 * Sets all fields of a structure to their defaults, as CFA_CHECK_OPTIONS_INIT does.
 *
 * Writes size bytes and no more, whatever the size of the structure in this version of the library.
 *
 * @param options the structure; does nothing if it is NULL
 * @param size    sizeof(cfa_check_options) of the caller
 */
void cfa_check_options_init(cfa_check_options *options, size_t size);

/** Options of cfa_aggregation_convert. */
struct cfa_convert_options {
  /** sizeof(cfa_convert_options) of the caller. */
  size_t size;
  /** The convention of the new file, a CFA_DIALECT_ number; by default CF-1.13. */
  int32_t dialect;
  /** CFA_CHOICE_DEFAULT or a CFA_FORMAT_ number: the format of the new file; by default netCDF-4. */
  int32_t format;
  /**
   * CFA_CHOICE_DEFAULT, CFA_LOCATIONS_RELATIVE or CFA_LOCATIONS_ABSOLUTE: how local fragments are named; by default
   * relative names stay relative, for the new place, and absolute ones absolute.
   */
  int32_t locations;
  /** Zero. */
  int32_t reserved;
  /**
   * How the aggregation file is opened; NULL for the defaults. The new file has the locations that open->relocate
   * gives.
   */
  const cfa_open_options *open;
  /** Called after success for each thing that is odd or was left out; or NULL. */
  cfa_note_callback note;
  /**
   * Called with 0 before the work begins, now and then during it, and with 1 when all is done (what it then returns
   * does not count); or NULL.
   */
  cfa_progress_callback progress;
  /** Handed to the functions above. */
  void *user_data;
  /**
   * CFA_CHOICE_YES to replace a file that is no aggregation, or one with data of its own. A file that is read is never
   * replaced.
   */
  int32_t overwrite;
  /** Zero. */
  int32_t reserved_2;
};

/** Initialises a cfa_convert_options: all fields have their defaults. */
#define CFA_CONVERT_OPTIONS_INIT {sizeof(cfa_convert_options), 0, 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0}

/**
 * Sets all fields of a structure to their defaults, as CFA_CONVERT_OPTIONS_INIT does.
 *
 * Writes size bytes and no more, whatever the size of the structure in this version of the library.
 *
 * @param options the structure; does nothing if it is NULL
 * @param size    sizeof(cfa_convert_options) of the caller
 */
void cfa_convert_options_init(cfa_convert_options *options, size_t size);

/** For compression: store data as they are. Zero means the default here too. */
#define CFA_COMPRESSION_NONE (-1)

/** A part of one dimension. It never gets more fields. */
struct cfa_cut {
  /** The dimension: "time", "/time" or "/group/x". */
  const char *dimension;
  /** The first index. */
  uint64_t start;
  /** The number of indices; 0 for all that are left. */
  uint64_t count;
  /** The distance between indices, may be negative; 0 for 1. */
  int64_t step;
};

/** Options of cfa_aggregation_extract. */
struct cfa_extract_options {
  /** sizeof(cfa_extract_options) of the caller. */
  size_t size;
  /** The level of compression, 1 to 9, or CFA_COMPRESSION_NONE; by default 1. */
  int32_t compression;
  /** CFA_CHOICE_DEFAULT, CFA_CHOICE_YES or CFA_CHOICE_NO: shuffle bytes before compression; by default yes. */
  int32_t shuffle;
  /**
   * The variables ("tas", "/group/tas") with all that they refer to, a list that ends with NULL; NULL for the whole
   * file.
   */
  const char *const *variables;
  /** The parts of dimensions; every variable that has the dimension is cut. */
  const cfa_cut *cuts;
  /** The length of cuts. */
  size_t cut_count;
  /**
   * The parts of dimensions by coordinates, "time=2001-03..2001-05", "lat=45", as for cfa_variable_select, but any
   * number of ranges; a list that ends with NULL; or NULL. Not with cuts.
   */
  const char *const *select;
  /** The shape of a chunk, for variables with that many dimensions; NULL for one of about 1 MiB. */
  const uint64_t *chunk;
  /** The length of chunk. */
  size_t chunk_rank;
  /** How the aggregation file and its fragments are opened, and the number of threads; NULL for the defaults. */
  const cfa_open_options *open;
  /** Called after success for each thing that is odd or was left out; or NULL. */
  cfa_note_callback note;
  /**
   * Called with 0 before the work begins, now and then during it, and with 1 when all is done (what it then returns
   * does not count); or NULL.
   */
  cfa_progress_callback progress;
  /** Handed to the functions above. */
  void *user_data;
  /** CFA_CHOICE_YES to replace a file that exists. A file that is read is never replaced. */
  int32_t overwrite;
  /** Zero. */
  int32_t reserved;
};

/** Initialises a cfa_extract_options: all fields have their defaults. */
#define CFA_EXTRACT_OPTIONS_INIT \
  {sizeof(cfa_extract_options), 0, 0, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, 0, 0}

/**
 * Sets all fields of a structure to their defaults, as CFA_EXTRACT_OPTIONS_INIT does.
 *
 * Writes size bytes and no more, whatever the size of the structure in this version of the library.
 *
 * @param options the structure; does nothing if it is NULL
 * @param size    sizeof(cfa_extract_options) of the caller
 */
void cfa_extract_options_init(cfa_extract_options *options, size_t size);

/** The values of a setting are texts; its description says more. */
#define CFA_SETTING_TEXT 1
/** The values of a setting are YES and NO. */
#define CFA_SETTING_BOOLEAN 2
/** The values of a setting are whole numbers that are not negative. */
#define CFA_SETTING_INTEGER 3
/** The values of a setting are numbers. */
#define CFA_SETTING_NUMBER 4
/** The values of a setting are the words that it lists. */
#define CFA_SETTING_WORD 5

/** An entry of the table of settings. Later versions append fields. */
struct cfa_setting {
  /** Its name, for cfa_open_options.settings; the environment variable is "CFA_" and this name. */
  const char *name;
  /** The value that applies if it is not set. */
  const char *default_value;
  /** What it does and which values it takes, on one line. */
  const char *description;
  /** The words that it takes, separated by blanks, for CFA_SETTING_WORD; else "". */
  const char *words;
  /** What its values look like: a CFA_SETTING_ number. */
  int32_t form;
};

/**
 * Returns the number of settings.
 *
 * @return the number
 */
size_t cfa_setting_count(void);

/**
 * Returns an entry of the table of settings.
 *
 * @param index 0 to cfa_setting_count - 1
 * @return the entry, valid for ever; NULL if index is out of range
 */
const cfa_setting *cfa_setting_at(size_t index);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* CFA_H */

//! The topics of the header, in the order in which a reader needs them.

/// A topic: how it is introduced, and the files of `src/capi` whose items belong to it.
pub struct Topic {
    pub title: &'static str,
    /// A paragraph, and an example that is indented by four blanks.
    pub text: &'static str,
    pub nouns: &'static [&'static str],
}

pub const TOPICS: [Topic; 8] = [
    Topic {
        title: "Version",
        text: "The macros are the version of this header, the functions that of the library that is running. A library
works with programs that were compiled with an older header of its major version, and with those of a newer one as
long as they use nothing that is new in it.

    static int is_older_than_its_header(void)
    {
        return cfa_version_number() < CFA_VERSION_MAJOR * 10000 + CFA_VERSION_MINOR * 100 + CFA_VERSION_PATCH;
    }",
        nouns: &["version"],
    },
    Topic {
        title: "Errors",
        text: "A status says what sort of error it is. The message of the last error of a thread says what happened where; its
parts are also there one by one, so that no program has to read the message.

    static void report(void)
    {
        if (cfa_last_error_is_absence())
            fprintf(stderr, \"%s: no such file\\n\", cfa_last_error_file());
        else
            fprintf(stderr, \"%s: %s\\n\", cfa_status_category(cfa_last_error_status()), cfa_last_error());
    }",
        nouns: &["status", "last_error"],
    },
    Topic {
        title: "Opening",
        text: "A dataset is an open netCDF file, with or without aggregation variables. Fragments are opened when data are read,
within what the settings on access allow.

    static cfa_dataset *open_with_filling(const char *path)
    {
        cfa_dataset *dataset = NULL;
        cfa_open_options options = CFA_OPEN_OPTIONS_INIT;
        options.missing_fragments = CFA_MISSING_FRAGMENTS_FILL;
        if (cfa_dataset_open(path, &options, &dataset) != CFA_OK)
            fprintf(stderr, \"%s\\n\", cfa_last_error());
        return dataset; // to be freed with cfa_dataset_free
    }",
        nouns: &["file", "open", "supplied"],
    },
    Topic {
        title: "Exploring",
        text: "A dataset has groups, dimensions, variables and attributes. The view is the logical one: an aggregation variable has
its aggregated dimensions, and what only defines fragments is hidden. An aggregation is decoded when its variable is
first used; what is wrong with it does not concern the other variables.

    static void list(const cfa_dataset *dataset)
    {
        for (size_t i = 0; i < cfa_dataset_variable_count(dataset); i++) {
            const cfa_variable *variable = cfa_dataset_variable(dataset, i);
            printf(\"%s %s\\n\", cfa_type_name(cfa_variable_type(variable)), cfa_variable_path(variable));
        }
    }",
        nouns: &["types", "dataset", "group", "dimension", "variable", "attribute"],
    },
    Topic {
        title: "Reading",
        text: "One function reads all variables, in any type that holds the values. start, count and step choose the part, by
indices; cfa_variable_select finds them for coordinates and dates.

    static cfa_status read_march(const cfa_variable *tas, size_t bytes, float *values)
    {
        const char *select[] = {\"time=2001-03\", \"lat=45..60\", NULL};
        uint64_t start[3];
        size_t count[3];
        cfa_read_options options = CFA_READ_OPTIONS_INIT;
        options.missing_as_nan = CFA_CHOICE_YES;
        cfa_status status = cfa_variable_select(tas, select, 3, start, count);
        if (status == CFA_OK)
            status = cfa_variable_read(tas, start, count, NULL, NULL, CFA_TYPE_FLOAT32, bytes, values, &options);
        return status;
    }",
        nouns: &["read", "select", "strings", "time"],
    },
    Topic {
        title: "Fragments",
        text: "The data of an aggregation variable are tiled by an array of fragments. A file provides a fragment, or any one of
several does: its versions. Indices of fragments have one number per dimension of the variable.

    static int32_t show(const cfa_fragment *fragment, void *user_data)
    {
        (void)user_data;
        if (fragment->state == CFA_STATE_MISSING)
            printf(\"%s is not there\\n\", fragment->locations[0]);
        return 1;
    }

    static cfa_status list_missing_files(const cfa_variable *variable)
    {
        return cfa_variable_fragments_visit(variable, NULL, NULL, CFA_CHOICE_YES, show, NULL);
    }",
        nouns: &["fragment", "fragments", "chunk"],
    },
    Topic {
        title: "Writing",
        text: "Aggregation files are made of the files that hold their parts, checked, converted to another dialect, and extracted
into one plain file. What is read is never replaced; a new file takes its name when all of it is on the disk.

    static cfa_status join(const char *const *files, size_t file_count)
    {
        uint64_t violated = 0;
        cfa_check_options options = CFA_CHECK_OPTIONS_INIT;
        options.fragments = CFA_CHOICE_YES;
        cfa_status status = cfa_aggregation_create(\"year.nc\", files, file_count, NULL);
        if (status == CFA_OK)
            status = cfa_aggregation_check(\"year.nc\", &options, &violated);
        return status;
    }",
        nouns: &["planned", "checking", "aggregation"],
    },
    Topic {
        title: "Options",
        text: "Every structure of options begins with its size, and zero means the default in every other field, now and in later
versions. Begin with the _INIT macro or with the _init function, which takes the size of the caller's structure:
programs and libraries of different versions then agree. Later versions append fields; a structure of another version
is accepted as long as what this one does not know is zero. Settings have names too; the table at the end lists them.

    static cfa_status extract(const char *path)
    {
        cfa_extract_options options;
        cfa_extract_options_init(&options, sizeof options);
        options.compression = CFA_COMPRESSION_NONE;
        return cfa_aggregation_extract(path, \"plain.nc\", &options);
    }",
        nouns: &[
            "open_options",
            "read_options",
            "create_options",
            "check_options",
            "convert_options",
            "extract_options",
            "setting",
        ],
    },
];

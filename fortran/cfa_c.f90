! The functions of cfa.h that the module cfa calls, as they are in C; cfa.h documents them.
module cfa_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int32_t, c_int64_t, c_ptr, c_null_ptr, c_funptr, &
    c_null_funptr, c_size_t
  implicit none
  public

  integer(c_int32_t), parameter :: c_yes = 1, c_no = 2, c_missing_error = 1, c_missing_fill = 2
  integer(c_int32_t), parameter :: c_locations_relative = 1, c_locations_absolute = 2

  ! The initial values are those of the _INIT macros; `size` is set where one is made.
  type, bind(c) :: c_open_options
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: missing_fragments = 0, lossy_casts = 0, raw_view = 0, num_threads = 0
    integer(c_int64_t) :: cache_bytes = 0
    integer(c_int32_t) :: cache_disabled = 0, max_open_files = 0
    integer(c_int64_t) :: max_fragments = 0
    integer(c_int32_t) :: max_nesting = 0, ignore_environment = 0
    type(c_ptr) :: allowed_sources = c_null_ptr, substitutions = c_null_ptr, relocate = c_null_ptr
  end type

  type, bind(c) :: c_read_options
    integer(c_size_t) :: size = 0
    type(c_ptr) :: mask = c_null_ptr
    integer(c_size_t) :: mask_bytes = 0
    type(c_funptr) :: progress = c_null_funptr
    type(c_ptr) :: user_data = c_null_ptr
    type(c_ptr) :: buffer_start = c_null_ptr
    integer(c_int32_t) :: lossy = 0, reserved = 0, missing_as_nan = 0, unpacked = 0
  end type

  type, bind(c) :: c_create_options
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: dialect = 0, format = 0, locations = 0, update = 0, dry_run = 0, expand = 0
    integer(c_int32_t) :: record_state = 0, allow_gaps = 0, aggregate_coordinates = 0, num_threads = 0
    type(c_ptr) :: base = c_null_ptr, variables = c_null_ptr, dimensions = c_null_ptr, new_dimension = c_null_ptr
    type(c_ptr) :: history = c_null_ptr
    type(c_funptr) :: describe = c_null_funptr, note = c_null_funptr, progress = c_null_funptr
    type(c_ptr) :: user_data = c_null_ptr
    integer(c_int32_t) :: overwrite = 0, record_chunks = 0
    type(c_ptr) :: open = c_null_ptr, drs_version = c_null_ptr
    integer(c_int32_t) :: skip_bad = 0, prune = 0
    type(c_ptr) :: keep_attributes = c_null_ptr
  end type

  type, bind(c) :: c_check_options
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: fragments = 0, max_findings = 0
    type(c_ptr) :: open = c_null_ptr, html_report = c_null_ptr, json_report = c_null_ptr
    type(c_funptr) :: finding = c_null_funptr, checked = c_null_funptr, progress = c_null_funptr
    type(c_ptr) :: user_data = c_null_ptr
  end type

  type, bind(c) :: c_convert_options
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: dialect = 0, format = 0, locations = 0, reserved = 0
    type(c_ptr) :: open = c_null_ptr
    type(c_funptr) :: note = c_null_funptr, progress = c_null_funptr
    type(c_ptr) :: user_data = c_null_ptr
    integer(c_int32_t) :: overwrite = 0, reserved_2 = 0
  end type

  type, bind(c) :: c_extract_options
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: compression = 0, shuffle = 0
    type(c_ptr) :: variables = c_null_ptr, cuts = c_null_ptr
    integer(c_size_t) :: cut_count = 0
    type(c_ptr) :: select = c_null_ptr, chunk = c_null_ptr
    integer(c_size_t) :: chunk_rank = 0
    type(c_ptr) :: open = c_null_ptr
    type(c_funptr) :: note = c_null_funptr, progress = c_null_funptr
    type(c_ptr) :: user_data = c_null_ptr
    integer(c_int32_t) :: overwrite = 0, reserved = 0
  end type

  interface
    ! Of the C library.
    pure integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import :: c_size_t, c_ptr
      type(c_ptr), value :: text
    end function

    ! Version and status

    type(c_ptr) function cfa_version_string() bind(c)
      import :: c_ptr
    end function

    type(c_ptr) function cfa_version_features() bind(c)
      import :: c_ptr
    end function

    type(c_ptr) function cfa_status_name(status) bind(c)
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: status
    end function

    type(c_ptr) function cfa_last_error() bind(c)
      import :: c_ptr
    end function

    type(c_ptr) function cfa_type_name(kind) bind(c)
      import :: c_int32_t, c_ptr
      integer(c_int32_t), value :: kind
    end function

    ! Files and datasets

    integer(c_int32_t) function cfa_file_identify(path, is_aggregation, dialect) bind(c)
      import :: c_char, c_int32_t
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int32_t), intent(out) :: is_aggregation, dialect
    end function

    integer(c_int32_t) function cfa_dataset_open(path, options, dataset) bind(c)
      import :: c_char, c_int32_t, c_open_options, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      type(c_open_options), intent(in) :: options
      type(c_ptr), intent(inout) :: dataset
    end function

    subroutine cfa_dataset_free(dataset) bind(c)
      import :: c_ptr
      type(c_ptr), value :: dataset
    end subroutine

    type(c_ptr) function cfa_dataset_name(dataset) bind(c)
      import :: c_ptr
      type(c_ptr), value :: dataset
    end function

    type(c_ptr) function cfa_dataset_root(dataset) bind(c)
      import :: c_ptr
      type(c_ptr), value :: dataset
    end function

    integer(c_size_t) function cfa_dataset_variable_count(dataset) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: dataset
    end function

    type(c_ptr) function cfa_dataset_variable(dataset, index) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: dataset
      integer(c_size_t), value :: index
    end function

    integer(c_int32_t) function cfa_dataset_variable_find(dataset, path, variable) bind(c)
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), value :: dataset
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(inout) :: variable
    end function

    integer(c_int32_t) function cfa_dataset_warning_count(dataset, count) bind(c)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: dataset
      integer(c_size_t), intent(inout) :: count
    end function

    integer(c_int32_t) function cfa_dataset_warning_copy(dataset, index, buffer, buffer_bytes, needed) bind(c)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: dataset, buffer
      integer(c_size_t), value :: index, buffer_bytes
      integer(c_size_t), intent(inout) :: needed
    end function

    ! Aggregation files

    integer(c_int32_t) function cfa_aggregation_create(out_path, files, file_count, options) bind(c)
      import :: c_char, c_create_options, c_int32_t, c_ptr, c_size_t
      character(kind=c_char), intent(in) :: out_path(*)
      type(c_ptr), intent(in) :: files(*)
      integer(c_size_t), value :: file_count
      type(c_create_options), intent(in) :: options
    end function

    integer(c_int32_t) function cfa_aggregation_check(path, options, violated) bind(c)
      import :: c_char, c_check_options, c_int32_t, c_int64_t
      character(kind=c_char), intent(in) :: path(*)
      type(c_check_options), intent(in) :: options
      integer(c_int64_t), intent(inout) :: violated
    end function

    integer(c_int32_t) function cfa_aggregation_convert(path, out_path, options) bind(c)
      import :: c_char, c_convert_options, c_int32_t
      character(kind=c_char), intent(in) :: path(*), out_path(*)
      type(c_convert_options), intent(in) :: options
    end function

    integer(c_int32_t) function cfa_aggregation_extract(path, out_path, options) bind(c)
      import :: c_char, c_extract_options, c_int32_t
      character(kind=c_char), intent(in) :: path(*), out_path(*)
      type(c_extract_options), intent(in) :: options
    end function

    ! Groups and dimensions

    type(c_ptr) function cfa_group_name(group) bind(c)
      import :: c_ptr
      type(c_ptr), value :: group
    end function

    type(c_ptr) function cfa_group_path(group) bind(c)
      import :: c_ptr
      type(c_ptr), value :: group
    end function

    integer(c_size_t) function cfa_group_group_count(group) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: group
    end function

    type(c_ptr) function cfa_group_group(group, index) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: group
      integer(c_size_t), value :: index
    end function

    integer(c_size_t) function cfa_group_dimension_count(group) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: group
    end function

    type(c_ptr) function cfa_group_dimension(group, index) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: group
      integer(c_size_t), value :: index
    end function

    integer(c_size_t) function cfa_group_variable_count(group) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: group
    end function

    type(c_ptr) function cfa_group_variable(group, index) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: group
      integer(c_size_t), value :: index
    end function

    integer(c_size_t) function cfa_group_attribute_count(group) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: group
    end function

    type(c_ptr) function cfa_group_attribute(group, index) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: group
      integer(c_size_t), value :: index
    end function

    integer(c_int32_t) function cfa_group_attribute_find(group, name, attribute) bind(c)
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), value :: group
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: attribute
    end function

    type(c_ptr) function cfa_dimension_name(dimension) bind(c)
      import :: c_ptr
      type(c_ptr), value :: dimension
    end function

    type(c_ptr) function cfa_dimension_path(dimension) bind(c)
      import :: c_ptr
      type(c_ptr), value :: dimension
    end function

    integer(c_int64_t) function cfa_dimension_size(dimension) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: dimension
    end function

    integer(c_int32_t) function cfa_dimension_is_unlimited(dimension) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: dimension
    end function

    ! Attributes

    type(c_ptr) function cfa_attribute_name(attribute) bind(c)
      import :: c_ptr
      type(c_ptr), value :: attribute
    end function

    integer(c_int32_t) function cfa_attribute_type(attribute) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: attribute
    end function

    integer(c_size_t) function cfa_attribute_length(attribute) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: attribute
    end function

    type(c_ptr) function cfa_attribute_text(attribute) bind(c)
      import :: c_ptr
      type(c_ptr), value :: attribute
    end function

    integer(c_int32_t) function cfa_attribute_string(attribute, index, text) bind(c)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: attribute
      integer(c_size_t), value :: index
      type(c_ptr), intent(inout) :: text
    end function

    integer(c_int32_t) function cfa_attribute_read(attribute, kind, buffer, buffer_bytes) bind(c)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: attribute, buffer
      integer(c_int32_t), value :: kind
      integer(c_size_t), value :: buffer_bytes
    end function

    ! Variables

    type(c_ptr) function cfa_variable_name(variable) bind(c)
      import :: c_ptr
      type(c_ptr), value :: variable
    end function

    type(c_ptr) function cfa_variable_path(variable) bind(c)
      import :: c_ptr
      type(c_ptr), value :: variable
    end function

    integer(c_int32_t) function cfa_variable_type(variable) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: variable
    end function

    integer(c_int32_t) function cfa_variable_check(variable) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: variable
    end function

    integer(c_int32_t) function cfa_variable_rank(variable, rank) bind(c)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: variable
      integer(c_size_t), intent(inout) :: rank
    end function

    integer(c_int32_t) function cfa_variable_shape(variable, capacity, shape) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: variable
      integer(c_size_t), value :: capacity
      integer(c_int64_t), intent(inout) :: shape(*)
    end function

    integer(c_int32_t) function cfa_variable_dimension(variable, index, dimension) bind(c)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: variable
      integer(c_size_t), value :: index
      type(c_ptr), intent(inout) :: dimension
    end function

    integer(c_size_t) function cfa_variable_attribute_count(variable) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: variable
    end function

    type(c_ptr) function cfa_variable_attribute(variable, index) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: variable
      integer(c_size_t), value :: index
    end function

    integer(c_int32_t) function cfa_variable_attribute_find(variable, name, attribute) bind(c)
      import :: c_char, c_int32_t, c_ptr
      type(c_ptr), value :: variable
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: attribute
    end function

    integer(c_int32_t) function cfa_variable_is_aggregated(variable) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: variable
    end function

    integer(c_int32_t) function cfa_variable_dialect(variable) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: variable
    end function

    integer(c_int32_t) function cfa_variable_missing_value(variable, has, value, value_bytes) bind(c)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: variable, value
      integer(c_int32_t), intent(inout) :: has
      integer(c_size_t), value :: value_bytes
    end function

    integer(c_int32_t) function cfa_variable_scale_offset(variable, has_scale, scale, has_offset, offset) bind(c)
      import :: c_double, c_int32_t, c_ptr
      type(c_ptr), value :: variable
      integer(c_int32_t), intent(inout) :: has_scale, has_offset
      real(c_double), intent(inout) :: scale, offset
    end function

    type(c_ptr) function cfa_variable_units(variable) bind(c)
      import :: c_ptr
      type(c_ptr), value :: variable
    end function

    integer(c_int32_t) function cfa_variable_block_shape(variable, capacity, block) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: variable
      integer(c_size_t), value :: capacity
      integer(c_int64_t), intent(inout) :: block(*)
    end function

    integer(c_int32_t) function cfa_variable_fragment_grid(variable, capacity, fragments) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: variable
      integer(c_size_t), value :: capacity
      integer(c_int64_t), intent(inout) :: fragments(*)
    end function

    integer(c_int32_t) function cfa_variable_fragment_range(variable, index, start, count) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr
      type(c_ptr), value :: variable
      integer(c_int64_t), intent(in) :: index(*)
      integer(c_int64_t), intent(inout) :: start(*), count(*)
    end function

    integer(c_int32_t) function cfa_variable_fragment_version_count(variable, index, count) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: variable
      integer(c_int64_t), intent(in) :: index(*)
      integer(c_size_t), intent(inout) :: count
    end function

    integer(c_int32_t) function cfa_variable_fragment_location(variable, index, version, buffer, buffer_bytes, needed) &
      bind(c)
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: variable, buffer
      integer(c_int64_t), intent(in) :: index(*)
      integer(c_size_t), value :: version, buffer_bytes
      integer(c_size_t), intent(inout) :: needed
    end function

    integer(c_int32_t) function cfa_variable_fragment_identifier(variable, index, version, buffer, buffer_bytes, &
      needed) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: variable, buffer
      integer(c_int64_t), intent(in) :: index(*)
      integer(c_size_t), value :: version, buffer_bytes
      integer(c_size_t), intent(inout) :: needed
    end function

    integer(c_int32_t) function cfa_variable_read(variable, start, count, step, buffer_stride, kind, buffer_bytes, &
      buffer, options) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr, c_read_options, c_size_t
      type(c_ptr), value :: variable, buffer_stride, buffer
      integer(c_int64_t), intent(in) :: start(*), step(*)
      integer(c_size_t), intent(in) :: count(*)
      integer(c_int32_t), value :: kind
      integer(c_size_t), value :: buffer_bytes
      type(c_read_options), intent(in) :: options
    end function

    integer(c_int32_t) function cfa_variable_select(variable, select, capacity, start, count) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: variable
      type(c_ptr), intent(in) :: select(*)
      integer(c_size_t), value :: capacity
      integer(c_int64_t), intent(inout) :: start(*)
      integer(c_size_t), intent(inout) :: count(*)
    end function

    integer(c_int32_t) function cfa_variable_read_unpacked(variable, start, count, step, capacity, values) bind(c)
      import :: c_double, c_int32_t, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: variable
      integer(c_int64_t), intent(in) :: start(*), step(*)
      integer(c_size_t), intent(in) :: count(*)
      integer(c_size_t), value :: capacity
      real(c_double), intent(inout) :: values(*)
    end function

    integer(c_int32_t) function cfa_variable_advise(variable, start, count, step) bind(c)
      import :: c_int32_t, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: variable
      integer(c_int64_t), intent(in) :: start(*), step(*)
      integer(c_size_t), intent(in) :: count(*)
    end function

    subroutine cfa_strings_free(strings, count) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), intent(inout) :: strings(*)
      integer(c_size_t), value :: count
    end subroutine

    integer(c_int32_t) function cfa_time_format(units, calendar, value, buffer, buffer_bytes, needed) bind(c)
      import :: c_char, c_double, c_int32_t, c_ptr, c_size_t
      character(kind=c_char), intent(in) :: units(*)
      type(c_ptr), value :: calendar, buffer
      real(c_double), value :: value
      integer(c_size_t), value :: buffer_bytes
      integer(c_size_t), intent(inout) :: needed
    end function
  end interface
end module cfa_c

! The numbers of cfa.h that programs compare with: types, dialects, formats and status codes.
module cfa_constants
  implicit none
  public

  ! Types of variables and attributes.
  integer, parameter :: cfa_type_int8 = 1
  integer, parameter :: cfa_type_uint8 = 2
  integer, parameter :: cfa_type_int16 = 3
  integer, parameter :: cfa_type_uint16 = 4
  integer, parameter :: cfa_type_int32 = 5
  integer, parameter :: cfa_type_uint32 = 6
  integer, parameter :: cfa_type_int64 = 7
  integer, parameter :: cfa_type_uint64 = 8
  integer, parameter :: cfa_type_float32 = 9
  integer, parameter :: cfa_type_float64 = 10
  integer, parameter :: cfa_type_char = 11
  integer, parameter :: cfa_type_string = 12

  ! Conventions that an aggregation variable may follow.
  integer, parameter :: cfa_dialect_none = 0
  integer, parameter :: cfa_dialect_cfa_0_4 = 1
  integer, parameter :: cfa_dialect_cfa_terms = 2
  integer, parameter :: cfa_dialect_cfa_0_6b1_early = 3
  integer, parameter :: cfa_dialect_cfa_0_6b1 = 4
  integer, parameter :: cfa_dialect_cfa_0_6_2 = 5
  integer, parameter :: cfa_dialect_cf_draft = 6
  integer, parameter :: cfa_dialect_cf_1_13 = 7

  ! Formats of files that are written.
  integer, parameter :: cfa_format_netcdf4 = 1
  integer, parameter :: cfa_format_classic = 2
  integer, parameter :: cfa_format_cdf5 = 3
  integer, parameter :: cfa_prune_files = 1
  integer, parameter :: cfa_prune_folders = 2

  ! For `compression`: none.
  integer, parameter :: cfa_compression_none = -1

  ! What `stat` may be.
  integer, parameter :: cfa_ok = 0
  integer, parameter :: cfa_err_argument = -1
  integer, parameter :: cfa_err_internal = -2
  integer, parameter :: cfa_err_not_built = -3
  integer, parameter :: cfa_err_cancelled = -4
  integer, parameter :: cfa_err_not_found = -5
  integer, parameter :: cfa_err_buffer = -6
  integer, parameter :: cfa_err_type = -7
  integer, parameter :: cfa_err_io = -8
  integer, parameter :: cfa_err_not_netcdf = -9
  integer, parameter :: cfa_err_damaged = -10
  integer, parameter :: cfa_err_policy = -11
  integer, parameter :: cfa_err_limit = -12
  integer, parameter :: cfa_err_unsupported = -13
  integer, parameter :: cfa_err_attribute = -20
  integer, parameter :: cfa_err_terms = -21
  integer, parameter :: cfa_err_missing_dimension = -22
  integer, parameter :: cfa_err_missing_variable = -23
  integer, parameter :: cfa_err_rank = -24
  integer, parameter :: cfa_err_map = -25
  integer, parameter :: cfa_err_uri = -26
  integer, parameter :: cfa_err_address = -27
  integer, parameter :: cfa_err_format = -28
  integer, parameter :: cfa_err_fragment_missing = -29
  integer, parameter :: cfa_err_fragment_unreadable = -30
  integer, parameter :: cfa_err_fragment_variable = -31
  integer, parameter :: cfa_err_fragment_shape = -32
  integer, parameter :: cfa_err_fragment_type = -33
  integer, parameter :: cfa_err_units = -34
  integer, parameter :: cfa_err_calendar = -35
  integer, parameter :: cfa_err_cycle = -36
end module cfa_constants

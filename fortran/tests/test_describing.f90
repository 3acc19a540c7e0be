! Everything but data: datasets, groups, dimensions, attributes, fragments, dates, errors.
program test_describing
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use cfa
  use checks, only: expect, finish
  implicit none

  call datasets_open_and_close()
  call groups_and_dimensions()
  call variables_describe_themselves()
  call attributes_of_every_type()
  call fragments_are_listed()
  call free_procedures()
  call finish('test_describing')

contains

  subroutine datasets_open_and_close()
    type(cfa_dataset) :: dataset
    integer :: stat
    character(len=400) :: errmsg
    type(cfa_variable), allocatable :: variables(:)

    call expect(.not. dataset%is_open(), 'a new dataset is not open')
    call dataset%open('absent.nc', stat=stat, errmsg=errmsg)
    call expect(stat == cfa_err_io .and. index(errmsg, 'absent.nc') > 0, 'an absent file is named')
    call expect(.not. dataset%is_open(), 'and not open')
    call dataset%open('whole.cdl', stat=stat)
    call expect(stat == cfa_err_not_netcdf, 'a file of another kind')
    call dataset%open('whole.nc   ', ignore_environment=.true., threads=1, cache_bytes=0_int64, open_files=2, &
      allowed_sources='SIBLINGS', substitutions='${x}=y', relocate='/old=/new')
    call expect(dataset%is_open() .and. index(dataset%name(), 'whole.nc') > 0, 'with all options')
    call expect(size(dataset%warnings()) == 0, 'no warnings')
    variables = dataset%variables()
    call expect(size(variables) == 10, 'variables of all groups, without those that define aggregations')
    call dataset%open('whole.nc', raw_view=.true.)
    call expect(size(dataset%variables()) == 19, 'the raw view has those too')
    call dataset%close()
    call dataset%close()
    call expect(.not. dataset%is_open() .and. size(dataset%variables()) == 0, 'closing twice does no harm')
    call dataset%open('whole.nc', cache_bytes=-1_int64, stat=stat)
    call expect(stat == cfa_err_argument, 'a negative cache')
    call dataset%close()
  end subroutine

  subroutine groups_and_dimensions()
    type(cfa_dataset) :: dataset
    type(cfa_group) :: root
    type(cfa_group), allocatable :: groups(:)
    type(cfa_variable), allocatable :: variables(:)
    type(cfa_dimension), allocatable :: dimensions(:)

    call dataset%open('whole.nc')
    root = dataset%root()
    groups = root%groups()
    call expect(root%path() == '/' .and. size(groups) == 1, 'one group below the root')
    call expect(groups(1)%name() == 'forecast' .and. groups(1)%path() == '/forecast', 'its name and path')
    variables = groups(1)%variables()
    call expect(size(variables) == 1, 'its variables')
    call expect(variables(1)%path() == '/forecast/lead' .and. variables(1)%name() == 'lead', 'path and name of those')
    dimensions = root%dimensions()
    call expect(dimensions(1)%name == 'time' .and. dimensions(1)%size == 4, 'dimensions')
    call expect(dimensions(1)%path == '/time' .and. .not. dimensions(1)%unlimited, 'and all about them')
    call dataset%close()
  end subroutine

  subroutine variables_describe_themselves()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: variable
    type(cfa_dimension), allocatable :: dimensions(:)
    integer(int64) :: whole
    real(real64) :: missing
    logical :: exists
    integer :: stat
    character(len=400) :: errmsg

    call dataset%open('whole.nc')
    variable = dataset%variable('tas')
    call expect(variable%type() == cfa_type_float32 .and. variable%rank() == 3, 'type and rank')
    call expect(len(variable%type_name()) > 0, 'name of the type')
    call expect(all(variable%shape() == [2, 3, 4]), 'the shape in Fortran order')
    dimensions = variable%dimensions()
    call expect(dimensions(1)%name == 'lon' .and. dimensions(3)%name == 'time', 'dimensions in Fortran order')
    call expect(variable%units() == 'K' .and. variable%is_aggregated(), 'units')
    call expect(variable%dialect() == cfa_dialect_cf_1_13, 'dialect')
    call variable%check()
    call variable%get_missing_value(missing, exists)
    call expect(exists .and. missing == -999, 'missing value of a float')
    call variable%get_missing_value(whole, exists, stat)
    call expect(stat == cfa_err_type .and. .not. exists, 'which is no integer')
    call expect(all(variable%block_shape() > 0), 'block shape')
    call expect(variable%scale_factor() == 1 .and. variable%add_offset() == 0, 'no packing')
    variable = dataset%variable('packed')
    call expect(variable%scale_factor() == 0.5 .and. variable%add_offset() == 100, 'packing')
    call expect(variable%units() == '' .and. .not. variable%is_aggregated(), 'an ordinary variable')
    variable = dataset%variable('big')
    call variable%get_missing_value(whole, exists)
    call expect(exists .and. whole == -9223372036854775806_int64, 'missing value of an int64')
    variable = dataset%variable('scalar')
    call expect(variable%rank() == 0 .and. size(variable%shape()) == 0, 'a scalar')
    variable = dataset%variable('nothing', stat, errmsg)
    call expect(stat == cfa_err_not_found .and. index(errmsg, 'nothing') > 0, 'an absent variable is named')
    call expect(variable%name() == '' .and. variable%rank(stat) == 0, 'and is nothing')
    call dataset%close()
  end subroutine

  subroutine attributes_of_every_type()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: variable
    character(len=:), allocatable :: text, texts(:)
    real(real32) :: single
    real(real64) :: double
    integer(int32) :: number
    integer(int64) :: long
    real(real32), allocatable :: singles(:)
    real(real64), allocatable :: doubles(:)
    integer(int32), allocatable :: numbers(:)
    integer(int64), allocatable :: longs(:)
    integer :: stat

    call dataset%open('whole.nc')
    call dataset%get_attribute('title', text)
    call expect(text == 'Fortran tests', 'a global attribute')
    call dataset%get_attribute('title', texts)
    call expect(size(texts) == 1 .and. texts(1) == 'Fortran tests', 'as an array')
    call dataset%get_attribute('authors', texts)
    call expect(size(texts) == 2 .and. texts(1) == 'Ann' .and. texts(2) == 'Robert', 'several strings')
    call dataset%get_attribute('authors', text, stat)
    call expect(stat == cfa_err_type, 'which are not one')
    call dataset%get_attribute('level', number)
    call dataset%get_attribute('level', long)
    call dataset%get_attribute('level', single)
    call dataset%get_attribute('level', double)
    call expect(number == 7 .and. long == 7 .and. single == 7 .and. double == 7, 'one number')
    call dataset%get_attribute('level', text, stat)
    call expect(stat == cfa_err_type, 'a number is not text')
    call dataset%get_attribute('title', number, stat)
    call expect(stat == cfa_err_type .and. number == 7, 'text is not a number')

    variable = dataset%variable('tas')
    texts = variable%attribute_names()
    call expect(size(texts) == 3 .and. texts(2) == 'units', 'names, without those that define the aggregation')
    call expect(variable%has_attribute('units') .and. .not. variable%has_attribute('unit'), 'has_attribute')
    call expect(variable%attribute_type('valid_range') == cfa_type_float64, 'type of an attribute')
    call variable%get_attribute('valid_range', doubles)
    call variable%get_attribute('valid_range', singles)
    call expect(all(doubles == [100, 400]) .and. all(singles == [100, 400]), 'reals')
    call variable%get_attribute('valid_range', double, stat)
    call expect(stat == cfa_err_buffer, 'two numbers are not one')
    variable = dataset%variable('packed')
    call variable%get_attribute('flag_values', numbers)
    call variable%get_attribute('flag_values', longs)
    call expect(all(numbers == [1, 2, 3]) .and. all(longs == [1, 2, 3]), 'integers')
    call variable%get_attribute('absent', longs, stat)
    call expect(stat == cfa_err_not_found .and. size(longs) == 0, 'an absent attribute')
    call expect(variable%attribute_type('absent', stat) == 0 .and. stat == cfa_err_not_found, 'has no type')
    call dataset%close()
  end subroutine

  subroutine fragments_are_listed()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: variable
    type(cfa_fragment) :: fragment
    integer :: stat

    call dataset%open('whole.nc')
    variable = dataset%variable('tas')
    call expect(all(variable%fragment_grid() == [1, 1, 2]), 'the grid of fragments')
    fragment = variable%fragment([1, 1, 2])
    call expect(all(fragment%start == [1, 1, 3]) .and. all(fragment%count == [2, 3, 2]), 'its part')
    call expect(size(fragment%locations) == 1 .and. index(fragment%locations(1), 'part_2.nc') > 0, 'its file')
    call expect(fragment%identifiers(1) == 'tas', 'its identifier')
    fragment = variable%fragment([1, 1, 3], stat)
    call expect(stat == cfa_err_not_found .and. size(fragment%locations) == 0, 'no such fragment')
    fragment = variable%fragment([1], stat)
    call expect(stat == cfa_err_argument, 'an index of the wrong length')
    variable = dataset%variable('packed')
    call expect(size(variable%fragment_grid(stat)) == 0, 'an ordinary variable has none')
    call expect(stat == cfa_err_type, 'which is an error')
    call dataset%close()
  end subroutine

  subroutine free_procedures()
    integer :: stat, dialect
    character(len=400) :: errmsg

    call expect(cfa_is_aggregation('whole.nc', dialect) .and. dialect == cfa_dialect_cf_1_13, 'an aggregation')
    call expect(.not. cfa_is_aggregation('part_1.nc'), 'not an aggregation')
    call expect(.not. cfa_is_aggregation('absent.nc', stat=stat) .and. stat /= cfa_ok, 'an absent file')
    call expect(cfa_date(59.5_real64, 'days since 2001-01-01', '360_day') == '2001-02-30 12:00:00', 'a date')
    call expect(cfa_date(59.5_real64, 'days since 2001-01-01') == '2001-03-01 12:00:00', 'in the standard calendar')
    call expect(cfa_date(1.0_real64, 'K', stat=stat, errmsg=errmsg) == '' .and. stat == cfa_err_units, 'not a time')
    call expect(cfa_error_name(cfa_err_units) == 'CFA_ERR_UNITS', 'the name of a code')
    call expect(len(cfa_version()) >= 5 .and. index(cfa_features(), 'read') > 0, 'version and features')
  end subroutine
end program test_describing

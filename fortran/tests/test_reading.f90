! Reading: types, ranks, parts, missing data, text.
program test_reading
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use cfa
  use checks, only: expect, finish
  use watches, only: go_on, last, seen, stop_at_once, watch
  implicit none

  ! In procedures, so that arrays go out of scope and leaks show.
  call whole_variables_in_fortran_order()
  call parts_begin_at_one_and_may_go_backwards()
  call ranks_may_be_less_than_those_of_the_variable()
  call numbers_are_converted_if_they_fit()
  call missing_data_are_not_valid()
  call arrays_that_are_there_are_filled()
  call text_is_text()
  call packed_numbers_are_unpacked()
  call parts_lie_at_coordinates()
  call wrong_parts_are_errors()
  call reads_tell_their_progress_and_may_be_stopped()
  call finish('test_reading')

contains

  type(cfa_variable) function opened(dataset, name)
    type(cfa_dataset), intent(inout) :: dataset
    character(len=*), intent(in) :: name

    call dataset%open('whole.nc')
    opened = dataset%variable(name)
  end function

  subroutine parts_lie_at_coordinates()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: tas, scalar
    real(real32), allocatable :: values(:, :, :)
    integer(int64), allocatable :: start(:), count(:)
    character(len=200) :: message
    integer :: stat

    tas = opened(dataset, 'tas')
    ! A month of 30 days, whose 30th day is in February.
    call tas%select(['time=2001-02-30..2002', 'lon=1                '], start, count)
    call expect(all(start == [2, 1, 3]) .and. all(count == [1, 3, 2]), 'start and count in the order of Fortran')
    call tas%read(values, start=start, count=count)
    call expect(values(1, 1, 1) == 201 .and. values(1, 3, 1) == 221, 'and they are what is read')
    call tas%select([character(len=1) ::], start, count)
    call expect(all(start == 1) .and. all(count == [2, 3, 4]), 'without texts all of it')
    call tas%select(['height=2'], start, count, stat, message)
    call expect(stat == cfa_err_argument .and. index(message, 'lat') > 0, 'an unknown dimension is named')
    call tas%select(['time=1999'], start, count, stat=stat)
    call expect(stat == cfa_err_argument, 'nothing lies there')
    scalar = dataset%variable('scalar')
    call scalar%select([character(len=1) ::], start, count)
    call expect(size(start) == 0 .and. size(count) == 0, 'a scalar has no coordinates')
    call dataset%close()
  end subroutine

  subroutine whole_variables_in_fortran_order()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: tas
    real(real32), allocatable :: values(:, :, :)
    real(real64), allocatable :: scalar

    tas = opened(dataset, 'tas')
    call tas%read(values)
    call expect(all(shape(values) == [2, 3, 4]), 'the fastest dimension is first')
    call expect(values(2, 3, 1) == 21 .and. values(1, 2, 4) == 310, 'elements are where they belong')
    call expect(values(2, 3, 4) == -999, 'a missing element is the missing value')
    tas = dataset%variable('scalar')
    call tas%read(scalar)
    call expect(scalar == 2.5, 'a scalar variable goes to an allocatable scalar')
    call dataset%close()
  end subroutine

  subroutine parts_begin_at_one_and_may_go_backwards()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: tas
    real(real32), allocatable :: values(:, :, :), flat(:)

    tas = opened(dataset, 'tas')
    call tas%read(values, start=[1, 2, 2], count=[2, 2, 2])
    call expect(values(1, 1, 1) == 110 .and. values(2, 2, 2) == 221, 'start and count')
    call tas%read(values, start=[2, 1, 4], step=[-1, 2, -3])
    call expect(all(shape(values) == [2, 2, 2]), 'without count it goes to the end')
    call expect(values(1, 1, 1) == 301 .and. values(2, 2, 2) == 20, 'a negative step goes backwards')
    call tas%read(values, step=[1_int64, 1_int64, -1_int64])
    call expect(values(1, 1, 1) == 300 .and. values(1, 1, 4) == 0, 'without start a negative step begins at the end')
    call tas%read(values, count=[2, 0, 1])
    call expect(all(shape(values) == [2, 0, 1]), 'a part may be empty')
    tas = dataset%variable('none')
    call tas%read(flat)
    call expect(size(flat) == 0, 'so may a variable')
    call tas%read(flat, step=[-1])
    call expect(size(flat) == 0, 'also backwards')
    call dataset%close()
  end subroutine

  subroutine ranks_may_be_less_than_those_of_the_variable()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: tas
    real(real32), allocatable :: one, flat(:), plane(:, :), more(:, :, :, :)
    logical, allocatable :: valid(:, :, :)
    integer :: stat
    character(len=400) :: errmsg

    tas = opened(dataset, 'tas')
    call tas%read(flat)
    call expect(size(flat) == 24 .and. flat(4) == 11, 'rank 1 takes all elements')
    call tas%read(plane, start=[1, 1, 2], count=[2, 3, 1])
    call expect(all(shape(plane) == [2, 3]) .and. plane(2, 3) == 121, 'a dimension of one element is left out')
    call tas%read(plane, count=[1, 3, 1])
    call expect(all(shape(plane) == [1, 3]), 'the slowest is left out first')
    call tas%read(plane, count=[1, 3, 4], valid=valid)
    call expect(all(shape(plane) == [3, 4]) .and. all(shape(valid) == [1, 3, 4]), 'the mask has its own rank')
    call tas%read(one, start=[2, 2, 2], count=[1, 1, 1])
    call expect(one == 111, 'one element goes to a scalar')
    call tas%read(plane, stat=stat, errmsg=errmsg)
    call expect(stat == cfa_err_argument, 'a rank that does not fit is an error')
    call expect(errmsg == '/tas: an array of rank 2 does not fit a part of a variable of rank 3', trim(errmsg))
    call tas%read(more, stat=stat)
    call expect(stat == cfa_err_argument, 'a rank that is too high is an error')
    call dataset%close()
  end subroutine

  subroutine numbers_are_converted_if_they_fit()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: variable
    real(real64), allocatable :: doubles(:)
    integer(int32), allocatable :: ints(:)
    integer(int64), allocatable :: longs(:)
    integer :: stat

    variable = opened(dataset, 'tas')
    call variable%read(doubles)
    call expect(doubles(24 - 1) == 320, 'float to real64')
    call variable%read(ints, count=[2, 3, 1])
    call expect(all(ints == [0, 1, 10, 11, 20, 21]), 'float to int32')
    variable = dataset%variable('big')
    call variable%read(longs, count=[1])
    call expect(longs(1) == 9007199254740993_int64, 'int64 keeps all digits')
    call variable%read(ints, stat=stat)
    call expect(stat /= cfa_ok, 'a number that does not fit int32 is an error')
    variable = dataset%variable('time')
    call variable%read(ints, stat=stat)
    call expect(stat /= cfa_ok, 'a fraction does not fit int32')
    call variable%read(ints, lossy=.true.)
    call expect(ints(3) == 59, 'unless losses are allowed')
    call dataset%close()
  end subroutine

  subroutine missing_data_are_not_valid()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: tas
    real(real32), allocatable :: values(:, :, :)
    logical, allocatable :: valid(:, :, :), flat(:)
    integer :: stat

    tas = opened(dataset, 'tas')
    call tas%read(values, valid=valid)
    call expect(all(shape(valid) == shape(values)), 'the mask has the shape of the array')
    call expect(count(.not. valid) == 1 .and. .not. valid(2, 3, 4), 'the missing element is not valid')
    tas = dataset%variable('gone')
    call tas%read(values, stat=stat)
    call expect(stat /= cfa_ok, 'the rank is checked before the fragment')
    call dataset%open('whole.nc', fill_missing=.true.)
    tas = dataset%variable('gone')
    call tas%read(values, valid=flat, stat=stat)
    call expect(stat == cfa_err_argument, 'the rank is checked with a mask too')
    call dataset%close()
  end subroutine

  subroutine arrays_that_are_there_are_filled()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: tas
    real(real32) :: plane(2, 3), wide(4, 3)
    real(real64) :: one
    integer(int32) :: ints(6)
    integer(int64) :: longs(2, 3)
    integer :: stat
    character(len=400) :: errmsg

    tas = opened(dataset, 'tas')
    call tas%read_into(plane, start=[1, 1, 3], count=[2, 3, 1])
    call expect(plane(2, 3) == 221, 'an array of the right size')
    wide = -1
    call tas%read_into(wide(2:3, :), start=[1, 1, 3], count=[2, 3, 1])
    call expect(all(wide(2:3, :) == plane) .and. all(wide(1, :) == -1), 'a section that is not contiguous')
    call tas%read_into(one, start=[1, 1, 3], count=[1, 1, 1])
    call tas%read_into(ints, start=[1, 1, 3], count=[2, 3, 1])
    call tas%read_into(longs, start=[1, 1, 3], count=[2, 3, 1])
    call expect(one == 200 .and. ints(6) == 221 .and. longs(2, 3) == 221, 'a scalar and integers')
    call tas%read_into(plane, stat=stat, errmsg=errmsg)
    call expect(stat == cfa_err_argument .and. errmsg == '/tas: the part has 24 elements, the array 6', 'another size')
    call dataset%close()
  end subroutine

  subroutine text_is_text()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: variable
    character(len=:), allocatable :: names(:), name
    logical, allocatable :: valid(:)
    integer :: stat

    variable = opened(dataset, 'station')
    call variable%read(names, valid=valid)
    call expect(size(names) == 3 .and. len(names) == 6, 'strings have the length of the longest')
    call expect(names(1) == 'Oslo' .and. names(2) == '' .and. names(3) == 'Bergen', 'strings')
    call variable%read(name, start=[3], count=[1])
    call expect(name == 'Bergen', 'one string goes to a scalar')
    call variable%read(name, stat=stat)
    call expect(stat == cfa_err_argument, 'three do not')
    call variable%read(names, count=[0])
    call expect(size(names) == 0, 'no strings')
    variable = dataset%variable('code')
    call variable%read(names, step=[1, -1])
    call expect(size(names) == 3 .and. len(names) == 5, 'the fastest dimension of a char variable is the length')
    call expect(names(1) == 'ENBRX' .and. names(2) == '' .and. names(3) == 'ENGM', 'char data')
    variable = dataset%variable('tas')
    call variable%read(names, stat=stat)
    call expect(stat == cfa_err_type .and. size(names) == 0, 'numbers are not text')
    call dataset%close()
  end subroutine

  subroutine packed_numbers_are_unpacked()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: packed, tas
    real(real64), allocatable :: meant(:)
    real(real32), allocatable :: values(:), cube(:, :, :)
    integer :: stat

    packed = opened(dataset, 'packed')
    call packed%read_unpacked(meant)
    call expect(all(meant == [102.0_real64, 103.0_real64]), 'packed numbers are unpacked')
    call packed%read_unpacked(meant, start=[2], count=[2], step=[-1])
    call expect(all(meant == [103.0_real64, 102.0_real64]), 'packed numbers are unpacked backwards')
    call packed%read_unpacked(meant, start=[3], stat=stat)
    call expect(stat == cfa_err_argument, 'a wrong part is not unpacked')
    call packed%read(values, unpacked=.true.)
    call expect(all(values == [102.0, 103.0]), 'by any read')
    tas = dataset%variable('tas')
    call tas%read(cube, unpacked=.true.)
    call expect(cube(1, 2, 4) == 310 .and. cube(2, 3, 4) /= cube(2, 3, 4), 'what is missing is NaN')
    packed = dataset%variable('station')
    call packed%read_unpacked(meant, stat=stat)
    call expect(stat == cfa_err_type, 'text is not unpacked')
    call dataset%close()
  end subroutine

  subroutine wrong_parts_are_errors()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: tas
    real(real32), allocatable :: values(:)
    integer :: stat
    character(len=400) :: errmsg

    tas = opened(dataset, 'tas')
    call tas%read(values, start=[1, 1], stat=stat, errmsg=errmsg)
    call expect(stat == cfa_err_argument .and. errmsg == '/tas: start has 2 elements, the variable 3 dimensions', trim(errmsg))
    call tas%read(values, start=[1, 0, 1], stat=stat, errmsg=errmsg)
    call expect(errmsg == '/tas: start is 0 along dimension 2, which has 3 elements', trim(errmsg))
    call tas%read(values, start=[1, 1, 2], count=[1, 1, 4], stat=stat, errmsg=errmsg)
    call expect(errmsg == '/tas: count is 4 along dimension 3, which has 3 from start on', trim(errmsg))
    call tas%read(values, step=[1, 0, 1], stat=stat, errmsg=errmsg)
    call expect(errmsg == '/tas: step is 0 along dimension 2', trim(errmsg))
    call tas%read(values, start=[1.0, 2.0, 3.0], stat=stat, errmsg=errmsg)
    call expect(errmsg == '/tas: start is not of type integer(int32) or integer(int64)', trim(errmsg))
    tas = dataset%variable('gone')
    call tas%read(values, stat=stat, errmsg=errmsg)
    call expect(stat == cfa_err_fragment_missing .and. index(errmsg, 'gone.nc') > 0, 'a missing fragment is named')
    errmsg = 'as before'
    tas = dataset%variable('tas', stat, errmsg)
    call expect(stat == cfa_ok .and. errmsg == 'as before', 'success leaves errmsg alone')
    call tas%advise(start=[1, 1, 1], count=[2, 3, 1])
    call tas%advise(start=[1, 1, 9], stat=stat)
    call expect(stat == cfa_err_argument, 'advice on a wrong part')
    call dataset%close()
    tas = dataset%variable('tas', stat)
    call expect(stat == cfa_err_argument, 'a dataset that is closed has no variables')
    call tas%read(values, stat=stat)
    call expect(stat == cfa_err_argument, 'a variable that was not found cannot be read')
    call dataset%close()
  end subroutine

  subroutine reads_tell_their_progress_and_may_be_stopped()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: tas
    real(real32), allocatable :: values(:), plain(:)
    real(real64) :: there(24)
    character(len=:), allocatable :: names(:), codes(:), name
    character(len=200) :: errmsg
    integer :: stat

    tas = opened(dataset, 'tas')
    call tas%read(plain)
    call watch()
    call tas%read(values, progress=go_on)
    call expect(seen() > 0 .and. last() >= 1, 'progress ends with 1')
    call expect(size(values) == 24 .and. all(values == plain), 'a read with progress gives the same')
    call watch()
    call tas%read(values, progress=stop_at_once, stat=stat, errmsg=errmsg)
    call expect(stat == cfa_err_cancelled, 'a read is stopped')
    call expect(seen() == 1, 'progress is not called again after it stopped the read')
    call expect(len_trim(errmsg) > 0, 'a stopped read says so')
    call tas%read_into(there, progress=stop_at_once, stat=stat)
    call expect(stat == cfa_err_cancelled, 'a read into an array is stopped')
    call watch()
    call tas%read_into(there, progress=go_on, stat=stat)
    call expect(stat == cfa_ok .and. seen() > 0, 'a read into an array tells its progress')

    tas = dataset%variable('station')
    call watch()
    call tas%read(names, progress=go_on)
    call expect(seen() > 0 .and. size(names) == 3, 'a read of strings tells its progress')
    call tas%read(names, progress=stop_at_once, stat=stat)
    call expect(stat == cfa_err_cancelled .and. size(names) == 0, 'a read of strings is stopped')
    call tas%read(name, count=[1], progress=stop_at_once, stat=stat)
    call expect(stat == cfa_err_cancelled, 'a read of one string is stopped')
    tas = dataset%variable('code')
    call tas%read(codes, progress=stop_at_once, stat=stat)
    call expect(stat == cfa_err_cancelled, 'a read of letters is stopped')
    call dataset%close()
  end subroutine
end program test_reading

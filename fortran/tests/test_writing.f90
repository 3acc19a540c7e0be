! Writing: an aggregation is made of the two parts, checked, converted and extracted.
program test_writing
  use, intrinsic :: iso_fortran_env, only: int64, real32
  use cfa
  use checks, only: expect, finish
  implicit none

  call an_aggregation_is_made()
  call it_is_checked()
  call it_is_converted()
  call it_is_extracted()
  call what_is_read_is_never_replaced()
  call failures_are_told()
  call finish('test_writing')

contains

  logical function is_right(path, dialect)
    character(len=*), intent(in) :: path
    integer, intent(in) :: dialect
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: tas
    real(real32), allocatable :: values(:, :, :)

    call dataset%open(path)
    tas = dataset%variable('tas')
    call tas%read(values)
    is_right = tas%dialect() == dialect .and. all(shape(values) == [2, 3, 4])
    if (is_right) is_right = values(2, 3, 1) == 21 .and. values(1, 1, 3) == 0 .and. values(2, 3, 4) == 121
    call dataset%close()
  end function

  subroutine an_aggregation_is_made()
    logical :: there
    integer :: stat

    call cfa_create('made.nc', ['part_1.nc', 'twin.nc  '], variables=['tas'], dimensions=['time'], record_state=.true.)
    call expect(is_right('made.nc', cfa_dialect_cf_1_13), 'two files are joined along a dimension without coordinates')
    call cfa_create('grown.nc', ['part_1.nc'], variables=['tas'], dimensions=['time'])
    call cfa_create('grown.nc', ['part_1.nc', 'twin.nc  '], variables=['tas'], dimensions=['time'], update=.true.)
    call expect(is_right('grown.nc', cfa_dialect_cf_1_13), 'a file is added')
    call cfa_create('other.nc', ['part_1.nc', 'twin.nc  '], variables=['tas'], dimensions=['time'], absolute=.true., &
      dialect=cfa_dialect_cfa_0_6_2, format=cfa_format_classic, history='made by a test', threads=1)
    call expect(is_right('other.nc', cfa_dialect_cfa_0_6_2), 'in another dialect and format')
    inquire (file='other.nc', exist=there)
    call expect(there, 'the file is there')
    call cfa_create('never.nc', ['part_1.nc'], keep_attributes=['absent'], stat=stat)
    inquire (file='never.nc', exist=there)
    call expect(stat == cfa_err_attribute .and. .not. there, 'an attribute that no file has cannot be kept')
  end subroutine

  subroutine it_is_checked()
    integer(int64) :: violated
    logical :: there

    call cfa_check('made.nc', violated, fragments=.true., html_report='made.html', json_report='made.json')
    call expect(violated == 0, 'nothing is wrong with it')
    inquire (file='made.html', exist=there)
    call expect(there, 'the page is there')
    inquire (file='made.json', exist=there)
    call expect(there, 'the findings are there')
  end subroutine

  subroutine it_is_converted()
    call cfa_convert('made.nc', 'converted.nc', dialect=cfa_dialect_cfa_0_4, absolute=.true.)
    call expect(is_right('converted.nc', cfa_dialect_cfa_0_4), 'values survive another dialect')
    call cfa_convert('converted.nc', 'back.nc', absolute=.false., relocate='/nowhere=/elsewhere')
    call expect(is_right('back.nc', cfa_dialect_cf_1_13), 'and the way back')
  end subroutine

  subroutine it_is_extracted()
    type(cfa_dataset) :: dataset
    type(cfa_variable) :: tas
    real(real32), allocatable :: values(:, :, :)
    character(len=200) :: message
    integer :: stat

    call cfa_extract('whole.nc', 'extracted.nc', variables=['tas'], select=['time=2001-02..2002'], &
      compression=cfa_compression_none, shuffle=.false., overwrite=.true.)
    call dataset%open('extracted.nc')
    tas = dataset%variable('tas')
    call tas%read(values)
    call expect(.not. tas%is_aggregated() .and. all(shape(values) == [2, 3, 2]), 'a plain file of a part')
    call expect(values(1, 1, 1) == 200 .and. values(1, 2, 2) == 310, 'with its values')
    call dataset%close()
    call cfa_extract('made.nc', 'extracted.nc', compression=9, stat=stat, errmsg=message)
    call expect(stat == cfa_err_argument .and. index(message, 'extracted.nc') > 0, 'a file that exists stays')
    call cfa_extract('made.nc', 'extracted.nc', compression=9, overwrite=.true.)
    call expect(is_right('extracted.nc', cfa_dialect_none), 'unless it is to be replaced')
    call cfa_extract('made.nc', 'part_1.nc', overwrite=.true., stat=stat)
    call expect(stat == cfa_err_argument, 'but never what is read')
    call cfa_extract('made.nc', 'never.nc', compression=10, stat=stat)
    call expect(stat == cfa_err_argument, 'there is no such level')
    call cfa_extract('made.nc', 'never.nc', select=['height=2'], stat=stat)
    call expect(stat /= cfa_ok, 'there is no such dimension')
  end subroutine

  subroutine what_is_read_is_never_replaced()
    character(len=200) :: message
    integer(int64) :: violated
    integer :: i, stat
    logical :: overwrite

    do i = 1, 2
      overwrite = i == 2
      call cfa_create('part_1.nc', ['part_1.nc', 'twin.nc  '], variables=['tas'], dimensions=['time'], stat=stat, &
        errmsg=message, overwrite=overwrite)
      call expect(stat == cfa_err_argument .and. index(message, 'input') > 0, 'a file is not made of itself')
      call cfa_convert('made.nc', 'part_1.nc', stat=stat, overwrite=overwrite)
      call expect(stat == cfa_err_argument, 'a fragment is not replaced')
      call cfa_convert('made.nc', 'made.nc', stat=stat, overwrite=overwrite)
      call expect(stat == cfa_err_argument, 'nor the file itself')
    end do
    call cfa_check('made.nc', violated, html_report='part_1.nc', stat=stat)
    call expect(stat == cfa_err_argument, 'nor by a report')
    call cfa_create('whole.nc', ['part_1.nc', 'twin.nc  '], variables=['tas'], dimensions=['time'], stat=stat, &
      errmsg=message)
    call expect(stat == cfa_err_argument .and. index(message, 'overwrite') > 0, 'data are replaced only when asked')
    call cfa_create('plain.nc', ['part_1.nc', 'twin.nc  '], variables=['tas'], dimensions=['time'], update=.true., &
      stat=stat)
    call expect(stat == cfa_err_argument, 'nothing is added to what is no aggregation')
    call cfa_create('data.nc', ['part_1.nc', 'twin.nc  '], variables=['tas'], dimensions=['time'], overwrite=.true.)
    call expect(is_right('data.nc', cfa_dialect_cf_1_13), 'and when asked they are')
    call cfa_convert('made.nc', 'data.nc', dialect=cfa_dialect_cfa_0_6_2)
    call expect(is_right('data.nc', cfa_dialect_cfa_0_6_2), 'an aggregation is replaced')
  end subroutine

  subroutine failures_are_told()
    character(len=200) :: message
    integer(int64) :: violated
    integer :: stat
    logical :: there

    call cfa_create('never.nc', ['absent.nc'], stat=stat, errmsg=message)
    call expect(stat == cfa_err_io .and. index(message, 'absent.nc') > 0, 'a file that is not there is named')
    call cfa_create('never.nc', ['part_1.nc'], new_dimension='member', dialect=99, stat=stat)
    call expect(stat == cfa_err_argument, 'a dialect that does not exist is refused')
    call cfa_convert('absent.nc', 'never.nc', stat=stat)
    call expect(stat == cfa_err_io, 'what is not there is not converted')
    call cfa_check('absent.nc', violated, stat=stat)
    call expect(stat == cfa_err_io .and. violated == 0, 'nor checked')
    inquire (file='never.nc', exist=there)
    call expect(.not. there, 'a failure leaves no file')
  end subroutine
end program test_writing

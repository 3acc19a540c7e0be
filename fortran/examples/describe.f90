! Lists the variables of a file, and for each that has a time dimension the mean of its first and last step.
!
!     describe FILE
program describe
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use cfa
  implicit none

  type(cfa_dataset) :: dataset
  type(cfa_variable), allocatable :: variables(:)
  character(len=1000) :: path, errmsg
  integer :: stat, i

  call get_command_argument(1, path, status=stat)
  if (stat /= 0) error stop 'describe FILE'
  call dataset%open(path, stat=stat, errmsg=errmsg)
  if (stat /= cfa_ok) then
    write (error_unit, '(3a)') cfa_error_name(stat), ': ', trim(errmsg)
    error stop 1
  end if
  variables = dataset%variables()
  do i = 1, size(variables)
    call describe_variable(variables(i))
  end do
  call dataset%close()

contains

  subroutine describe_variable(variable)
    type(cfa_variable), intent(in) :: variable
    type(cfa_dimension), allocatable :: dimensions(:)
    integer(int64), allocatable :: fragments(:)
    integer :: stat, j

    ! What is wrong with one variable is no reason not to show the others.
    call variable%check(stat, errmsg)
    if (stat /= cfa_ok) then
      print '(3a)', variable%path(), ': ', trim(errmsg)
      return
    end if
    dimensions = variable%dimensions()
    write (*, '(4a)', advance='no') variable%type_name(), ' ', variable%path(), '('
    do j = 1, size(dimensions)
      if (j > 1) write (*, '(a)', advance='no') ', '
      write (*, '(2a, i0)', advance='no') dimensions(j)%name, '=', dimensions(j)%size
    end do
    write (*, '(2a)', advance='no') ') ', variable%units()
    if (variable%is_aggregated()) then
      fragments = variable%fragment_grid()
      write (*, '(a, i0, a)', advance='no') ' from ', product(fragments), ' fragments'
    end if
    print '(a)'

    if (size(dimensions) < 2) return
    j = size(dimensions)
    if (dimensions(j)%name /= 'time') return
    call print_mean(variable, 1_int64)
    call print_mean(variable, dimensions(j)%size)
  end subroutine

  ! The slowest dimension is the last: one step of it is one contiguous part.
  subroutine print_mean(variable, step)
    type(cfa_variable), intent(in) :: variable
    integer(int64), intent(in) :: step
    integer(int64), allocatable :: start(:), count(:)
    real(real64), allocatable :: values(:)
    logical, allocatable :: valid(:)

    count = variable%shape()
    allocate (start(size(count)), source=1_int64)
    start(size(start)) = step
    count(size(count)) = 1
    call variable%read(values, start, count, valid=valid)
    if (any(valid)) print '(a, i0, a, f0.3)', '  time ', step, ': mean ', sum(values, valid)/size(pack(values, valid))
  end subroutine
end program describe

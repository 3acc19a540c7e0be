! The same in Fortran.
program consumer
  use, intrinsic :: iso_fortran_env, only: real64
  use cfa
  implicit none
  type(cfa_dataset) :: dataset
  type(cfa_variable) :: tas
  real(real64), allocatable :: values(:, :, :)
  logical, allocatable :: valid(:, :, :)
  character(len=500) :: path

  call get_command_argument(1, path)
  call dataset%open(path)
  tas = dataset%variable('tas')
  call tas%read(values, valid=valid)
  print '(a, i0)', 'sum ', nint(sum(values, valid))
  call dataset%close()
end program consumer

! Without stat a failure stops the program; run.sh looks at its status and message.
program test_stopping
  use cfa
  implicit none
  type(cfa_dataset) :: dataset

  call dataset%open('absent.nc')
  print '(a)', 'still running'
end program test_stopping

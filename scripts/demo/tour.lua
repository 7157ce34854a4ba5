-- `make demo` on a terminal: the file that uses process_data, and the tour of the help beside it.
require('oxide.demo').show()

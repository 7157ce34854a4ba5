from stations import Series, process_data

series = Series("check", [1, -2, 40])

assert process_data(series) == 39
assert process_data(series, factor=-1) == -39
assert process_data(Series("empty"), 7) == 0
print("passed")

module example.org/stations

go 1.21

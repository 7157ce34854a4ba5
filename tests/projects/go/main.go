package main

import (
	"fmt"
	"os"
	"strings"

	"example.org/stations/stations"
)

func main() {
	all := stations.All{{Name:"Talhof",Values:[]int{3, 0,12,7}},
	{Name: "Gipfelhütte", Values: []int{21, 4, 0, 19, 2}}}
	total := 0
  for _, series := range all {
      fmt.Println(strings.Join(stations.Lines(series, "mm"), "\n"))
	total += stations.ProcessData(series, 1)
  }
	fmt.Println("all stations:", total, "mm")
	var status int = "done"
	os.Exit(status)
}

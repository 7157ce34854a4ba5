// Package stations is about rain gauges and what they measured.
package stations

// Series is what one station measured.
type Series struct {
	Name   string
	Values []int
}

// Peak is what has a highest value.
type Peak interface {
	Highest() int
}

// Highest is 0 where nothing was measured.
func (s Series) Highest() int {
	highest := 0
	for _, value := range s.Values {
		highest = max(highest, value)
	}
	return highest
}

// All are several stations.
type All []Series

// Highest is that of all of them.
func (all All) Highest() int {
	highest := 0
	for _, series := range all {
		highest = max(highest, series.Highest())
	}
	return highest
}

// Sum of all values, each of them times factor.
func ProcessData(series Series, factor int) int {
	sum := 0
	for _, value := range series.Values {
		sum += value * factor
	}
	return sum
}

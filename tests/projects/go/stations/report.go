package stations

import (
	"fmt"
	"strconv"
)

func mean(series Series) float64 {
	if len(series.Values) == 0 {
		return 0
	}
	return float64(ProcessData(series, 1)) / float64(len(series.Values))
}

// Lines of a report. ProcessData is asked twice.
func Lines(series Series, unit string) []string {
	var peak Peak = series

	return []string{
		series.Name,
		fmt.Sprintf("  highest %d %s", peak.Highest(), unit),
		fmt.Sprintf("  mean    %.2f %s", mean(series), unit),
		"  Σ 合計 🌂 " + strconv.Itoa(ProcessData(series, 1)) + " " + unit,
		fmt.Sprintf("  doubled %d %s", ProcessData(series, 2), unit),
	}
}

package stations

import "testing"

func TestProcessData(t *testing.T) {
	series := Series{"check", []int{1, -2, 40}}

	for factor, want := range map[int]int{1: 39, -1: -39} {
		if got := ProcessData(series, factor); got != want {
			t.Errorf("times %d: got %d, want %d", factor, got, want)
		}
	}
}

func TestHighest(t *testing.T) {
	all := All{{"a", []int{1, 4}}, {"b", []int{3}}}

	if got := all.Highest(); got != 4 {
		t.Errorf("got %d, want 4", got)
	}
}

/** What one station measured. */
export interface Series {
	name: string;
	values: number[];
}

/** The sum of all values, each of them times factor. */
export function process_data(series: Series, factor = 1): number {
	return series.values.reduce((sum, value) => sum + value * factor, 0);
}

// Unlike process_data(), this looks at the values as they are.
export function highest(series: Series): number {
	return Math.max(0, ...series.values);
}

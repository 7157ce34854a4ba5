import { highest, process_data, type Series } from "./series";

export function mean(series: Series): number {
	const digits = 2;

	if (series.values.length === 0) {
		return 0;
	}
	return process_data(series) / series.values.length;
}

export function lines(series: Series, unit = "mm"): string[] {
	return [
		series.name,
		`  highest ${highest(series)} ${unit}`,
		`  mean    ${mean(series).toFixed(2)} ${unit}`,
		"  Σ 合計 🌂 " + process_data(series) + " " + unit,
		`  doubled ${process_data(series, 2)} ${unit}`,
	];
}

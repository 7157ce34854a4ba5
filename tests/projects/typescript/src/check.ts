import { highest, process_data as total } from "./series";
import * as series from "./series";

const day = { name: "check", values: [1, -2, 40] };

const results: [number, number][] = [
	[total(day), 39],
	[series.process_data(day, -1), -39],
	[series.process_data({ name: "empty", values: [] }), 0],
	[highest(day), 40],
];

for (const [got, want] of results) {
	if (got !== want) {
		throw new Error(`expected ${want}, got ${got}`);
	}
}

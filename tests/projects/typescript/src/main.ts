import { process_data, type Series } from "./series";
import { lines } from "./report";

const stations: Series[] = [
	{ name: "Talhof", values: [3, 0, 12, 7] },
	{ name:"Gipfelhütte",values:[ 21,4,0 ,19,2 ] },
];

export function main(wanted: string[]): number {
  let total=0;
    for(const series of stations){
    if(wanted.length>0&&!wanted.includes(series.name)) continue;
        console.log(lines(series).join("\n"));
      total+=process_data(series);
  }
	console.log("all stations:", total, "mm");
	return total;
}

const status: string = main([]);

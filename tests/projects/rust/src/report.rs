use crate::series::{self, process_data, Peak, Series};

pub fn mean(series: &Series) -> f64 {
	if series.values.is_empty() {
		return 0.0;
	}
	process_data(series, 1) as f64 / series.values.len() as f64
}

pub fn lines(series: &Series, unit: &str) -> Vec<String> {
	vec![
		series.name.clone(),
		format!("  highest {} {unit}", series.highest()),
		format!("  mean    {:.2} {unit}", mean(series)),
		"  Σ 合計 🌂 ".to_string() + &process_data(series, 1).to_string() + " " + unit,
		format!("  doubled {} {unit}", series::process_data(series, 2)),
	]
}

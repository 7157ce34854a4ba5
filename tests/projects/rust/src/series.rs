/// What one station measured.
pub struct Series {
	pub name: String,
	pub values: Vec<i64>,
}

/// What has a highest value.
pub trait Peak {
	fn highest(&self) -> i64;
}

impl Peak for Series {
	fn highest(&self) -> i64 {
		self.values.iter().copied().max().unwrap_or(0)
	}
}

impl Peak for [Series] {
	fn highest(&self) -> i64 {
		self.iter().map(Peak::highest).max().unwrap_or(0)
	}
}

impl Series {
	pub fn new(name: &str, values: &[i64]) -> Self {
		Series {
			name: name.to_string(),
			values: values.to_vec(),
		}
	}
}

/// The sum of all values, each of them times factor.
pub fn process_data(series: &Series, factor: i64) -> i64 {
	series.values.iter().map(|value| value * factor).sum()
}

// process_data() looks at every value, this at one.
pub fn last(series: &Series) -> Option<i64> {
	series.values.last().copied()
}

use stations::series::Peak;
use stations::{process_data, Series};

#[test]
fn sums() {
	let series = Series::new("check", &[1, -2, 40]);

	assert_eq!(process_data(&series, 1), 39);
	assert_eq!(process_data(&series, -1), -39);
	assert_eq!(process_data(&Series::new("empty", &[]), 7), 0);
}

#[test]
fn peaks() {
	let all = [Series::new("a", &[1, 4]), Series::new("b", &[3])];

	assert_eq!(all[..].highest(), 4);
}

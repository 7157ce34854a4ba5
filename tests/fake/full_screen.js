// Programs that draw themselves anew whenever their terminal has another size.
// node full_screen.js: fills the terminal. Each row says which one it is, of how many, and how wide it
// is, up to the last column.
// node full_screen.js below: a few rows below what it has said, drawn over those it drew before, as far
// up as these were: it never asks where it is.
const size = () => process.stdout;

const fill = () => {
	const { rows, columns } = size();
	let screen = '\x1b[H\x1b[2J';

	for (let row = 1; row <= rows; row++) {
		const text = `row ${row} of ${rows} by ${columns} `;

		screen += `\x1b[${row};1H` + text + '-'.repeat(Math.max(0, columns - text.length));
	}
	process.stdout.write(screen);
};

const BELOW = 5;
let drawn = 0;

const drawBelow = () => {
	const { rows, columns } = size();
	let text = '\r' + '\x1b[1A'.repeat(drawn) + '\x1b[J';

	for (let row = 1; row <= BELOW; row++)
		text += `row ${row} at ${rows} by ${columns}\r\n`;
	drawn = BELOW;
	process.stdout.write(text);
};

const isBelow = process.argv[2] === 'below';
const draw = isBelow ? drawBelow : fill;

process.stdin.setRawMode(true);
process.stdin.resume();
process.stdout.on('resize', draw);
if (isBelow)
	for (let line = 1; line <= 100; line++)
		process.stdout.write(`line ${line}\r\n`);
else
	process.stdout.write('\x1b[?1049h');
draw();

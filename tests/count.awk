# Counts the TAP of one program, read from its output: prints `passed failed skipped`, and what is
# wrong with the TAP itself as one more failure.
#
#	awk -v name=test_x -v status=$? -f tests/count.awk OUTPUT
/^1\.\.[0-9]+/ {
	plans++
	planned += substr($1, 4)
}

/^ok/ {
	if (toupper($0) ~ /# *SKIP/)
		skipped++
	else
		passed++
}

/^not ok/ {
	failed++
}

END {
	seen = passed + failed + skipped
	if (!plans)
		wrong = "printed no plan"
	else if (seen < planned)
		wrong = "planned " planned " tests and ran " seen
	else if (seen > planned)
		wrong = "planned " planned " tests and ran " seen ", more than that"
	else if (status == 124 || status == 137)
		wrong = "was ended, it took too long"
	else if (status != 0 && !failed)
		wrong = "ended with status " status ", though no test failed"
	if (wrong && status != 0 && wrong !~ /status|too long/)
		wrong = wrong "; its status is " status
	if (wrong)
		printf "not ok - %s: %s\n", name, wrong > "/dev/stderr"
	print passed + 0, failed + (wrong ? 1 : 0), skipped + 0
}

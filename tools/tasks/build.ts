// The launcher has built everything before it comes here.
process.stderr.write('» built\n');

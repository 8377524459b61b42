// Requires an entry, and prints every module that was loaded for it, one on each line.
require(process.argv[2]);
process.stdout.write(Object.keys(require.cache).join("\n"));

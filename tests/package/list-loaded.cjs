// Requires entries, one after another, and prints a line of JSON for each: every module that is loaded then, without those of this package
// and of the packages of drivers that an earlier entry loaded. Each entry loads these again, but not LangChain, which takes half a second:
// node list-loaded.cjs <pattern of the paths to load again> <entry>...
const [pattern, ...entries] = process.argv.slice(2);
const again = new RegExp(pattern);
for (const entry of entries) {
  for (const path of Object.keys(require.cache).filter((path) => again.test(path)))
    delete require.cache[path];
  require(entry);
  console.log(JSON.stringify(Object.keys(require.cache)));
}

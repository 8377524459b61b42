// Requires entries one after another, and prints for each a line of JSON: the modules that are loaded then. Before each it unloads the modules
// in the folder of the first entry, and those of drivers, but not LangChain, which takes half a second to load:
// node list-loaded.cjs <pattern of the paths of drivers> <entry>...
const { dirname, sep } = require("node:path");

const [pattern, ...entries] = process.argv.slice(2);
const drivers = new RegExp(pattern);
const folder = dirname(entries[0]) + sep;
const isUnloaded = (path) => path.startsWith(folder) || drivers.test(path);
for (const entry of entries) {
  for (const path of Object.keys(require.cache).filter(isUnloaded)) delete require.cache[path];
  require(entry);
  console.log(JSON.stringify(Object.keys(require.cache)));
}

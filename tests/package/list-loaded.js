import { register } from "node:module";

// Imports an entry, and prints every module that was loaded for it, one on each line.
const hooks = `
import { writeSync } from "node:fs";
export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  writeSync(1, resolved.url + "\\n");
  return resolved;
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
await import(process.argv[2]);

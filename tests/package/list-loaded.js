import { register } from "node:module";

// Imports an entry, and writes every module that was loaded for it to a file, one on each line. A pipe may refuse to take more at once.
const [, , entry, file] = process.argv;
const hooks = `
import { appendFileSync } from "node:fs";
export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  appendFileSync(${JSON.stringify(file)}, resolved.url + "\\n");
  return resolved;
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
await import(entry);

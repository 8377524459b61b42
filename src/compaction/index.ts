// The calls of a saver that change how values are stored.
export { parseGrowth } from "./boundary/parse-growth.js";
export { compact } from "./compact.js";
export { expand } from "./expand.js";

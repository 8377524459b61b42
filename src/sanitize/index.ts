// The call of a saver that removes from values what cannot be trusted.
export { parseGrowth } from "../compaction/boundary/parse-growth.js";
export { sanitize } from "./sanitize.js";

// The call of a saver that repairs threads.
export { parseRepair } from "./boundary/parse-repair.js";
export { repair } from "./repair.js";

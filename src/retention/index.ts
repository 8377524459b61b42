// The calls of a saver that delete old checkpoints and threads.
export { parsePrune, parseRunIds, parseRunOptions } from "./boundary/parse-prune.js";
export { deleteForRuns } from "./delete-for-runs.js";
export { prune } from "./prune.js";

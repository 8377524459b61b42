// The calls of a saver that check and explain what is stored.
export {
  parseReducers,
  parseStorageScope,
  parseTarget,
  parseTaskQuery,
  parseTaskScope,
  parseVerify,
} from "./boundary/parse-audit.js";
export { diff } from "./diff.js";
export { rebuildBlobs } from "./rebuild/rebuild-blobs.js";
export { storage } from "./storage.js";
export { taskReport, taskStats } from "./task-stats.js";
export { verify } from "./verify.js";
export { writesOf } from "./writes-of.js";

// The calls of a saver that check and explain what is stored.
export {
  parseReducers,
  parseStorage,
  parseTarget,
  parseTaskQuery,
  parseTaskScope,
  parseVerify,
} from "./boundary/parse-audit.js";
export { diff } from "./diff.js";
export { rebuildBlobs } from "./rebuild/rebuild-blobs.js";
export { storage } from "./measure.js";
export { taskReport, taskStats } from "./measure.js";
export { verify } from "./verify.js";
export { taskWritesOf } from "./writes-of.js";

// The calls of a saver on whole threads.
export { parseCopy } from "./boundary/parse-copy.js";
export { parseFork, parseRollback } from "./boundary/parse-fork.js";
export { parseHistory } from "./boundary/parse-thread-queries.js";
export { parseThreadLock } from "./with-thread-lock.js";
export { parseThreadQuery } from "./boundary/parse-thread-queries.js";
export { parseLift, parseTombstoneQuery } from "./boundary/parse-thread-queries.js";
export { copyThread } from "./copy-thread.js";
export { fork } from "./fork.js";
export { history } from "./history.js";
export { listThreads } from "./list-threads.js";
export { replaceWrites } from "./replace-writes.js";
export { liftTombstones, listTombstones } from "./thread-tombstones.js";
export { withThreadLock } from "./with-thread-lock.js";

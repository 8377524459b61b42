/** Stores rows by several statements in one transaction, each for the node of one thread (N1, N5). */
export { putRowsOfThread } from "./put-rows-of-thread.js";
export { transactAndNotify } from "./transact-and-notify.js";

import type { SaverPolicy } from "../../src/saver/call/saver-call.js";

/** The rules of a saver that decide which writes it refuses. */
export type WriteRules = Required<Pick<SaverPolicy, "concurrency" | "keepTombstones">>;

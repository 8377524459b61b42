import { CHECKPOINT_SET } from "../migrations/sets.js";
import { setUpSets } from "../migrations/set-up-sets.js";
import type { SaverCall } from "./call/saver-call.js";

// The calls of a saver that most runs never make. They are loaded by the first of them.
export { channelValues } from "./channel-values.js";
export { deltaChannelHistory, readEachOnce } from "./delta-channel-history.js";
export { listTuples } from "./list-tuples.js";
export { parseChannelValuesRequest } from "./boundary/parse-read.js";
export { parseDeltaRequest } from "./boundary/parse-read.js";
export { parseListRequest } from "./boundary/parse-read.js";

/** Migrates the schema to the newest version; see `PostgresSaver.setup`. */
export function setUp(call: SaverCall): Promise<void> {
  return setUpSets(call, [CHECKPOINT_SET]);
}

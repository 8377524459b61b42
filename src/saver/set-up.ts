import { CHECKPOINT_SET } from "../migrations/sets.js";
import { setUpSets } from "../migrations/set-up-sets.js";
import type { SaverCall } from "./call/saver-call.js";

/** Migrates the schema to the newest version; see `PostgresSaver.setup`. */
export function setUp(call: SaverCall): Promise<void> {
  return setUpSets(call, [CHECKPOINT_SET]);
}

import * as cache from "../../src/cache/index.js";
import * as conversations from "../../src/conversations/index.js";
import * as checkpointStore from "../../src/checkpoint-store/index.js";
import * as db from "../../src/db/index.js";
import * as index from "../../src/index.js";
import * as migrations from "../../src/migrations/index.js";
import * as serde from "../../src/serde/index.js";
import * as store from "../../src/store/index.js";
import type { Modules } from "./release.js";

/** The sources, as a version of the package. */
export const NEWEST: Modules = {
  index,
  db,
  migrations,
  serde,
  store,
  cache,
  conversations,
  "checkpoint-store": checkpointStore,
};

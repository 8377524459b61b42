import type { CommandDefinition } from "../command-definition.js";
import { archive } from "./archive.js";
import { compact, expand, sanitize } from "./rewriting-commands.js";
import { copyFrom } from "./copy-from.js";
import { copy } from "./copy.js";
import { deleteRuns } from "./delete-runs.js";
import { deleteThreads } from "./delete.js";
import { diff } from "./diff.js";
import { doctor } from "./doctor.js";
import { estimate } from "./estimate.js";
import { exportCommand } from "./export.js";
import { fork } from "./fork.js";
import { importCommand } from "./import.js";
import { inspect } from "./inspect.js";
import { migrate } from "./migrate.js";
import { prune } from "./prune.js";
import { restore } from "./restore.js";
import { rollback } from "./rollback.js";
import { show } from "./show.js";
import { state } from "./state.js";
import { stats } from "./stats.js";
import { store } from "./store/index.js";
import { storeCopy } from "./store-copy.js";
import { threads } from "./threads.js";
import { tombstones } from "./tombstones.js";
import { verify } from "./verify.js";
import { writes } from "./writes.js";

/** Every command, in the order in which help lists them within their groups. */
export const COMMANDS: readonly CommandDefinition[] = [
  threads,
  show,
  state,
  diff,
  writes,
  stats,
  inspect,
  copy,
  fork,
  rollback,
  prune,
  archive,
  deleteThreads,
  deleteRuns,
  tombstones,
  compact,
  expand,
  sanitize,
  verify,
  doctor,
  exportCommand,
  importCommand,
  restore,
  copyFrom,
  storeCopy,
  store,
  migrate,
  estimate,
];

import type { CommandDefinition } from "../command-definition.js";
import { archive } from "./archive-command.js";
import { compact, expand, sanitize } from "./rewriting-commands.js";
import { copyFrom } from "./copy-from-command.js";
import { copy } from "./copy-command.js";
import { deleteRuns } from "./delete-runs-command.js";
import { deleteThreads } from "./delete-threads-command.js";
import { diff } from "./diff-command.js";
import { doctor } from "./doctor-command.js";
import { estimate } from "./estimate-command.js";
import { exportCommand } from "./export-command.js";
import { fork } from "./fork-command.js";
import { importCommand } from "./import-command.js";
import { inspect } from "./inspect-command.js";
import { migrate } from "./migrate-tables-command.js";
import { prune } from "./prune-command.js";
import { repair } from "./repair-command.js";
import { restore } from "./restore-command.js";
import { rollback } from "./rollback-command.js";
import { show } from "./show-command.js";
import { state } from "./state-command.js";
import { stats } from "./stats-command.js";
import { store } from "./store/index.js";
import { storeCopy } from "./store-copy-command.js";
import { storeVerify } from "./store-verify-command.js";
import { threads } from "./threads-command.js";
import { tombstones } from "./tombstones-command.js";
import { verify } from "./verify-command.js";
import { writes } from "./writes-command.js";

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
  repair,
  copyFrom,
  storeCopy,
  storeVerify,
  store,
  migrate,
  estimate,
];

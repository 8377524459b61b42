import type { CommandDefinition } from "../command-definition.js";
import { archiveCommand, restoreCommand } from "./archive-commands.js";
import { compactCommand, expandCommand, sanitizeCommand } from "./rewriting-commands.js";
import { copyFromCommand } from "./copy-from-command.js";
import { copyCommand, forkCommand, rollbackCommand } from "./change-commands.js";
import { deleteRunsCommand, deleteThreadsCommand } from "./delete-commands.js";
import { diffCommand } from "./diff-command.js";
import { doctorCommand } from "./doctor-command.js";
import { estimateCommand } from "./estimate-command.js";
import { exportCommand, importCommand } from "./backup-commands.js";
import { inspectCommand } from "./inspect-command.js";
import { migrateTablesCommand } from "./migrate-tables-command.js";
import { pruneCommand } from "./prune-command.js";
import { repairCommand } from "./repair-command.js";
import { showCommand, stateCommand, writesCommand } from "./show-commands.js";
import { statsCommand } from "./stats-command.js";
import { storeCommand } from "./store/index.js";
import { storeCopyCommand, storeVerifyCommand } from "./checkpoint-store-commands.js";
import { threadsCommand, tombstonesCommand } from "./threads-commands.js";
import { verifyCommand } from "./verify-command.js";

/** Every command, in the order in which help lists them within their groups. */
export const COMMANDS: readonly CommandDefinition[] = [
  threadsCommand,
  showCommand,
  stateCommand,
  diffCommand,
  writesCommand,
  statsCommand,
  inspectCommand,
  copyCommand,
  forkCommand,
  rollbackCommand,
  pruneCommand,
  archiveCommand,
  deleteThreadsCommand,
  deleteRunsCommand,
  tombstonesCommand,
  compactCommand,
  expandCommand,
  sanitizeCommand,
  verifyCommand,
  doctorCommand,
  exportCommand,
  importCommand,
  restoreCommand,
  repairCommand,
  copyFromCommand,
  storeCopyCommand,
  storeVerifyCommand,
  storeCommand,
  migrateTablesCommand,
  estimateCommand,
];

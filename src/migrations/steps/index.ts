import { createTables } from "./0001-create-tables.js";
import { allowEmptyBlobs } from "./0002-allow-empty-blobs.js";
import { addTaskPath } from "./0003-add-task-path.js";
import { compressByLz4 } from "./0004-compress-by-lz4.js";
import { createTombstones } from "./0005-create-tombstones.js";
import { addSpliceBase } from "./0006-add-splice-base.js";
import type { MigrationStep } from "./step.js";

/** Every step by its recorded name, oldest first. */
export const MIGRATION_STEPS: Readonly<Record<string, MigrationStep>> = {
  "0001-create-tables": createTables,
  "0002-allow-empty-blobs": allowEmptyBlobs,
  "0003-add-task-path": addTaskPath,
  "0004-compress-by-lz4": compressByLz4,
  "0005-create-tombstones": createTombstones,
  "0006-add-splice-base": addSpliceBase,
};

/** The names of `MIGRATION_STEPS`, oldest first. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATION_STEPS).sort();

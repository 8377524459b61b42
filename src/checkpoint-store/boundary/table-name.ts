import { z } from "zod";
import { CHECKPOINT_STORE_TABLE, problemOfCheckpointTable } from "../../migrations/checkpoint-table.js";

/** The name of the table, as the options of Postgres and of SQLite have it. */
export const tableName = z
  .string()
  .superRefine((name, context) => {
    const problem = problemOfCheckpointTable(name);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  })
  .default(CHECKPOINT_STORE_TABLE);

import { estimate } from "../../src/estimate/estimate.js";
import type { UnitCosts } from "../../src/estimate/unit-costs.js";
import type { BenchServer } from "../bench-server.js";
import { oursWith } from "../subjects.js";
import { inDatabase } from "./in-database.js";
import type { KnownFleet } from "./known-fleets.js";
import { TABLES, type TableName, tableSizes, walPosition } from "./table-sizes.js";

/** A fleet that was stored, beside its estimate. */
export interface Comparison {
  readonly name: string;
  readonly rows: Compared;
  readonly bytes: Compared;
  /** Absent where the saver also deletes. */
  readonly logBytes?: Compared;
  readonly tables: Readonly<Record<TableName, Readonly<Record<"rows" | "bytes", Compared>>>>;
}

/** A figure as it was estimated and measured. */
export interface Compared {
  readonly estimated: number;
  readonly measured: number;
}

/** Stores a fleet in an empty database, and compares it with its estimate. */
export async function compareEstimate(
  fleet: KnownFleet,
  server: Pick<BenchServer, "emptyDatabase">,
  costs: UnitCosts,
): Promise<Comparison> {
  return inDatabase(
    server,
    async (saver, database) => {
      const before = await walPosition(database);
      const input = await fleet.store(saver, database);
      const log = (await walPosition(database)) - before;
      await database.exec("vacuum analyze");
      const sizes = await tableSizes(database);
      const result = estimate(input, costs);
      const tableOf = (table: TableName) => {
        const { rows, heap, toast, index } = sizes[table];
        const estimated = result.tables[table];
        return {
          rows: compared(estimated.rows, rows),
          bytes: compared(estimated.bytes, heap + toast + index),
        };
      };
      const tables = {
        checkpoints: tableOf("checkpoints"),
        checkpoint_blobs: tableOf("checkpoint_blobs"),
        checkpoint_writes: tableOf("checkpoint_writes"),
      };
      const sum = (figure: "rows" | "bytes", of: keyof Compared) =>
        TABLES.reduce((total, table) => total + tables[table][figure][of], 0);
      return {
        name: fleet.name,
        rows: compared(sum("rows", "estimated"), sum("rows", "measured")),
        bytes: compared(sum("bytes", "estimated"), sum("bytes", "measured")),
        // The tables are new, so that no page existed at Postgres's last checkpoint, and there are no images.
        ...(input.keepLast === undefined && {
          logBytes: compared(result.log.rowBytesPerStep * input.checkpoints, log),
        }),
        tables,
      };
    },
    oursWith(fleet.options),
  );
}

function compared(estimated: number, measured: number): Compared {
  return { estimated: Math.round(estimated), measured };
}

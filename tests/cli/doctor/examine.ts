import { openDatabase } from "../../../src/db/index.js";
import { diagnose, type DiagnoseOptions } from "../../../src/doctor/diagnose.js";
import type { Finding } from "../../../src/doctor/finding.js";
import type { TestDatabase } from "../../../test-support/targets.js";

/** Never reports the number of connections, since other tests use the same server. */
export const OPTIONS: DiagnoseOptions = { schema: "public", limits: { connectionShare: 2 } };

/** Diagnoses a database, with the connection string of another role if one is given. */
export async function examine(
  { source }: TestDatabase,
  options: Partial<DiagnoseOptions> = {},
  connection = source,
): Promise<Finding[]> {
  const database = openDatabase(connection);
  try {
    return await diagnose(database.kysely, { ...OPTIONS, ...options });
  } finally {
    await database.close();
  }
}

/** The findings of one check, except those with the state `ok`. */
export function complaints(findings: readonly Finding[], check: string): Omit<Finding, "check">[] {
  return findings
    .filter((finding) => finding.check === check && finding.state !== "ok")
    .map(({ state, message, remedy }) => ({ state, message, ...(remedy !== undefined && { remedy }) }));
}

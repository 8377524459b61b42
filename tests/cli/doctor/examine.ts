import { openDatabase } from "../../../src/db/index.js";
import { diagnose, type DiagnoseOptions } from "../../../src/doctor/diagnose.js";
import type { Finding } from "../../../src/doctor/finding.js";
import type { TestDatabase } from "../../support/targets.js";

/** Has no test complain of the connections that other tests have to the same server. */
export const OPTIONS: DiagnoseOptions = { schema: "public", limits: { connectionShare: 2 } };

/** Everything that doctor finds out about a database, for the role of `as`. */
export async function examine(
  { source }: TestDatabase,
  options: Partial<DiagnoseOptions> = {},
  as = source,
): Promise<Finding[]> {
  const database = openDatabase(as);
  try {
    return await diagnose(database.kysely, { ...OPTIONS, ...options });
  } finally {
    await database.close();
  }
}

export function complaints(findings: readonly Finding[], check: string): Omit<Finding, "check">[] {
  return findings
    .filter((finding) => finding.check === check && finding.state !== "ok")
    .map(({ state, message, remedy }) => ({ state, message, ...(remedy !== undefined && { remedy }) }));
}

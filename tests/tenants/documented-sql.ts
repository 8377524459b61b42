import { readFile } from "node:fs/promises";

const DOCUMENT = new URL("../../docs/tenants.md", import.meta.url);

/** What docs/tenants.md has an operator run. */
export interface DocumentedSql {
  /** Makes row-level security keep tenants apart. */
  readonly setUp: string;
  /** Gives a tenant a role of its own. */
  readonly roleOfTenant: string;
  /** Gives a thread its tenant. */
  readonly moveThread: string;
}

/** The blocks of SQL of the document, so that what is tested is what is read. */
export async function documentedSql(): Promise<DocumentedSql> {
  const text = await readFile(DOCUMENT, "utf8");
  const blocks = [...text.matchAll(/^ *```sql\n([^]*?)^ *```/gm)].map(([, block = ""]) => block);
  const [setUp, roleOfTenant, moveThread, ...others] = blocks;
  if (setUp === undefined || roleOfTenant === undefined || moveThread === undefined || others.length > 0) {
    throw new Error(`docs/tenants.md has ${blocks.length} blocks of SQL: say here which is which`);
  }
  return { setUp, roleOfTenant, moveThread };
}

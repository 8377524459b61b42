import { readFile } from "node:fs/promises";

const DOCUMENT = new URL("../../docs/tenants.md", import.meta.url);

/** The SQL of docs/tenants.md. */
export interface DocumentedSql {
  /** Sets up row-level security. */
  readonly setUp: string;
  /** Sets up row-level security of stores and caches. */
  readonly setUpStores: string;
  /** Gives a tenant its own role. */
  readonly roleOfTenant: string;
  /** Moves a thread to a tenant. */
  readonly moveThread: string;
}

/** Reads the SQL blocks of the document, so that the tests check what people read. */
export async function documentedSql(): Promise<DocumentedSql> {
  const text = await readFile(DOCUMENT, "utf8");
  const blocks = [...text.matchAll(/^ *```sql\n([^]*?)^ *```/gm)].map(([, block = ""]) => block);
  const [setUp, setUpStores, roleOfTenant, moveThread, ...others] = blocks;
  if (
    setUp === undefined ||
    setUpStores === undefined ||
    roleOfTenant === undefined ||
    moveThread === undefined ||
    others.length > 0
  ) {
    throw new Error(`docs/tenants.md has ${blocks.length} blocks of SQL: assign them in documented-sql.ts`);
  }
  return { setUp, setUpStores, roleOfTenant, moveThread };
}

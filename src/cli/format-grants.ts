/** The rights of two roles on the tables of one schema, as they are printed. */
export interface PrintedGrants {
  /** The schema that holds the tables. */
  readonly schema: string;
  /** What the role of services needs that run graphs. */
  readonly readWrite: RoleGrants;
  /** What whoever looks at threads and changes none needs. */
  readonly readOnly: RoleGrants;
}

/** The rights of one role. */
export interface RoleGrants {
  readonly role: string;
  /** In order, without final semicolons. */
  readonly statements: readonly string[];
}

/** Grants only ever add: what everybody may do, these roles may do too. */
const NOTE_ON_PUBLIC =
  "-- In a database made before PostgreSQL 15 every role may create tables here; to end that, for all of them:\n" +
  "-- revoke create on schema public from public;";

/**
 * Writes grants as SQL that `psql` or any other client runs as it stands: one transaction, so that a role that is missing
 * leaves nothing half granted.
 */
export function formatGrants({ schema, readWrite, readOnly }: PrintedGrants): string {
  return [
    `${headline(schema)}\nbegin;`,
    section("Reads and writes checkpoints", readWrite),
    section("Reads checkpoints", readOnly),
    "commit;",
  ].join("\n\n");
}

// Quoted as JSON, a name with a line break in it can't end a comment.
function headline(schema: string): string {
  const lines = [
    `-- Grants on the tables in schema ${JSON.stringify(schema)}.`,
    "-- The tables and the roles must be there; run this as the owner of the tables.",
  ];
  if (schema === "public") lines.push(NOTE_ON_PUBLIC);
  return lines.join("\n");
}

function section(title: string, { role, statements }: RoleGrants): string {
  const lines = statements.map((statement) => `${statement};`);
  return [`-- ${title}: ${JSON.stringify(role)}`, ...lines].join("\n");
}

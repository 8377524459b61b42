import type { TestDatabase } from "../../test-support/targets.js";

/** Every row of every table in all schemas of a database, as Postgres prints it, with bytes in hexadecimal. */
export async function rowsAsText(database: TestDatabase): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await database.query<{ text: string }>(`select row_::text as text from ${name} as row_`);
    rows.push(...found.map(({ text }) => `${name} ${text}`));
  }
  return rows;
}

/** The rows that contain a string as text, as bytes or in Base64. */
export function rowsWith(rows: readonly string[], text: string): string[] {
  const bytes = Buffer.from(text);
  // Base64 has other letters at both ends, depending on the offset of the string.
  const base64 = [0, 1, 2].map((offset) => Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64").slice(4, -4)); // oxfmt-ignore
  const forms = [text, bytes.toString("hex"), ...base64];
  return rows.filter((row) => forms.some((form) => row.includes(form)));
}

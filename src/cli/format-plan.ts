import type { MigrationPlan } from "../migrations/plan-migrations.js";

/**
 * Writes a plan as SQL that `psql` or any other client runs as it stands: one transaction, which another run that came
 * first makes fail as a whole.
 */
export function formatPlan({ schema, preparation, steps }: MigrationPlan): string {
  // Quoted as JSON, a name with a line break in it can't end the comment.
  const place = `schema ${JSON.stringify(schema)}`;
  if (steps.length === 0) return `-- ${place} is up to date, nothing to do`;
  return [
    `-- Brings ${place} to the newest version.\nbegin;`,
    section("Keep other migrations away, and make room for the record of steps", preparation),
    ...steps.map(({ name, statements }) => section(name, statements)),
    "commit;",
  ].join("\n\n");
}

function section(title: string, statements: readonly string[]): string {
  return [`-- ${title}`, ...statements.map((statement) => `${statement};`)].join("\n");
}

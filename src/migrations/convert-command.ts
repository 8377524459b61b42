import { migrateCommand } from "../db/migrate-command.js";
import type { IncompatibleTablesError } from "../errors/index.js";

type Layout = IncompatibleTablesError["layout"];

const OPTIONS: Readonly<Record<Layout, string | undefined>> = {
  "python-shallow": "--convert-shallow",
  "javascript-store": "--convert-store",
  partitions: undefined,
  unknown: undefined,
};

/** The command that converts the tables of another library. `undefined` if there is none. */
export function convertCommand(schema: string, layout: Layout): string | undefined {
  const option = OPTIONS[layout];
  return option === undefined ? undefined : `${migrateCommand(schema)} ${option}`;
}

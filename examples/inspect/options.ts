import { parseArgs } from "node:util";

export const USAGE = `npm run demo:inspect -- [postgres://…] [--no-write] [--no-open]

  postgres://…  the database (default: PGlite in memory). The tables are in the schema langgraph_inspect_demo, and stay there.
  --no-write    show the history, and change nothing
  --no-open     do not open a browser`;

/** The options on the command line of the demo. */
export interface InspectOptions {
  readonly url: string | undefined;
  readonly write: boolean;
  readonly open: boolean;
  readonly help: boolean;
}

/**
 * Parses the command line.
 *
 * @throws Error that names the invalid argument.
 */
export function parseInspectOptions(args: string[]): InspectOptions {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    allowNegative: true,
    options: {
      write: { type: "boolean", default: true },
      open: { type: "boolean", default: true },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [url, ...others] = positionals;
  if (others.length > 0) throw new Error("expected one address of a database");
  if (url !== undefined && !/^postgres(ql)?:/.test(url))
    throw new Error("expected an address like postgres://user@host/database");
  return { url, ...values };
}

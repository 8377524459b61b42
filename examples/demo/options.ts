import { parseArgs } from "node:util";
import { z } from "zod";

export const USAGE = `npm run demo -- [--url <url>] [--schema <name>] [--keep]

  --url     the database: postgres://… for a server, file://folder for PGlite in that folder
            (default: PGlite in a new temporary folder)
  --schema  the schema of the tables (default: langgraph_demo)
  --keep    keep the temporary folder, or the thread in the given database`;

/** The options on the command line of the demo. */
export interface DemoOptions {
  readonly url: string | undefined;
  readonly schema: string;
  readonly keep: boolean;
  readonly help: boolean;
}

const sharedUrl = z
  .string()
  .refine(
    (url) => url.startsWith("file://") || (/^postgres(ql)?:/.test(url) && URL.canParse(url)),
    "--url: expected postgres://… or file://…, which several processes can open",
  );

/**
 * Parses the command line.
 *
 * @throws Error that names the invalid argument.
 */
export function parseDemoOptions(args: string[]): DemoOptions {
  const { values } = parseArgs({
    args,
    options: {
      url: { type: "string" },
      schema: { type: "string", default: "langgraph_demo" },
      keep: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const url = sharedUrl.optional().safeParse(values.url);
  if (!url.success) throw new Error(url.error.issues.map(({ message }) => message).join("\n"));
  return { ...values, url: url.data };
}

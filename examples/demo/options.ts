import { parseArgs } from "node:util";
import { z } from "zod";

export const USAGE = `npm run demo -- [--url <url>] [--schema <name>] [--keep]

  --url     where the checkpoints go: postgres://… for a server, file://folder for PGlite in that folder;
            a new temporary folder unless given
  --schema  the schema that the tables are in (default langgraph_demo)
  --keep    leave the temporary folder, or on a given database the thread, as it is at the end`;

/** What the demo was asked for on the command line. */
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
 * Reads the command line.
 *
 * @throws Error that says which argument can't be used.
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

import { z } from "zod";

const Orders = z.object({
  act: z.enum(["begin", "resume", "answer", "fork"]),
  url: z.string(),
  schema: z.string(),
  threadId: z.string(),
  /** The file of the journal. */
  journal: z.string(),
});

/** The argument of the process of an act, as JSON on its command line. */
export type ActOrders = z.infer<typeof Orders>;

/** The name of an act. */
export type ActName = ActOrders["act"];

/** Parses the argument of the process. */
export function parseActOrders(args: readonly string[]): ActOrders {
  return Orders.parse(JSON.parse(args[0] ?? ""));
}

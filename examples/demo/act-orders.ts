import { z } from "zod";

const Orders = z.object({
  act: z.enum(["begin", "resume", "answer", "fork"]),
  url: z.string(),
  schema: z.string(),
  threadId: z.string(),
  /** The file of the journal. */
  journal: z.string(),
});

/** What the process of an act is told on its command line, as JSON. */
export type ActOrders = z.infer<typeof Orders>;

/** The name of an act. */
export type ActName = ActOrders["act"];

/** Reads what the process was told. */
export function parseActOrders(args: readonly string[]): ActOrders {
  return Orders.parse(JSON.parse(args[0] ?? ""));
}

import { Argument, Option } from "commander";
import { z } from "zod";

/** The argument of commands that are about one thread. */
export function threadArgument(description = "the thread's id"): Argument {
  return new Argument("<thread>", description);
}

/** The option of commands that are about one namespace of a thread. */
export function namespaceOption(): Option {
  return new Option("--namespace <ns>", "the namespace, for subgraphs (default: that of the root graph)");
}

/** What {@link threadArgument} and {@link namespaceOption} were given. */
export const threadFlags = z.object({ thread: z.string(), namespace: z.string().default("") });

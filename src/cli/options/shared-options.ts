import { Argument, Option } from "commander";
import { z } from "zod";

/** How help describes the value of an option or argument that names a checkpoint. */
export const CHECKPOINT_HELP = "an id, head (the newest checkpoint), or head~2 (the parent of its parent)";

/** The argument of commands on one thread. */
export function threadArgument(description = "the thread's id"): Argument {
  return new Argument("<thread>", description);
}

/** The option of commands on one namespace of a thread. */
export function namespaceOption(): Option {
  return new Option("--namespace <ns>", "the namespace of a subgraph (default: the root graph)");
}

/** The flags of {@link threadArgument} and {@link namespaceOption}. */
export const threadFlags = z.object({ thread: z.string(), namespace: z.string().default("") });

/** The option of commands that delete, or of other commands that can count first what they would do. */
export function dryRunOption(help = "print what would be deleted, and delete nothing"): Option {
  return new Option("--dry-run", help);
}

/** The option of commands that otherwise leave damaged threads, name them, and go on. */
export function strictOption(): Option {
  return new Option("--strict", "stop at the first damaged thread (default: name it, and go on)");
}

/** The option of commands that delete what nothing references. */
export function deleteUnprovenOption(): Option {
  return new Option(
    "--delete-unproven",
    "also what nothing references and may belong to checkpoints that are still to come: not while a restore or an import is under way",
  );
}

/** The option of commands that ask for confirmation. */
export function yesOption(): Option {
  return new Option("--yes", "don't ask for confirmation");
}

/** The option that continues a paged list of threads. */
export function afterOption(): Option {
  return new Option("--after <thread>", "continue after this thread, the last one of the previous page");
}

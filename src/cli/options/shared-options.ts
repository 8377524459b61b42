import { countOption, repeatedOption } from "./option-values.js";
import { Argument, Option, InvalidArgumentError } from "commander";
import { z } from "zod";
import { printable } from "../output/printable.js";

/** How help describes the value of an option or argument that names a checkpoint. */
export const CHECKPOINT_HELP = "an id, head (the newest checkpoint), or head~2 (the parent of its parent)";

/** The argument of commands on one thread. */
export function threadArgument(description = "the thread's id"): Argument {
  return new Argument("<thread>", description);
}

/** The argument of commands on all threads unless some are named. */
export function threadsArgument(): Argument {
  return new Argument("[threads...]", "only these threads (default: all)");
}

/** The option of commands on one namespace of a thread. */
export function namespaceOption(): Option {
  return new Option("--namespace <ns>", "the namespace of a subgraph (default: the root graph)");
}

/** The flags of {@link threadArgument} and {@link namespaceOption}. */
export const threadFlags = z.object({ thread: z.string(), namespace: z.string().default("") });

/** The flag of an option without a value. */
export const flag = z.boolean().default(false);

/** The flag of an argument or a repeated option of threads. */
export const threadList = z.array(z.string()).default([]);

/** The flags of {@link dryRunOption} and {@link yesOption}. */
export const confirmFlags = { dryRun: flag, yes: flag };

/** The threads that were named; `undefined` for all if none was. */
export function namedOrAll(threads: readonly string[]): readonly string[] | undefined {
  return threads.length === 0 ? undefined : threads;
}

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

/** The option of commands on old checkpoints. */
export function oldNamespaceOption(): Option {
  return repeatedOption(
    "--namespace <ns>",
    "with --older-than or --keep-last, only in this namespace, '' for the root graph",
  );
}

/** The option of commands that ask for confirmation. */
export function yesOption(): Option {
  return new Option("--yes", "don't ask for confirmation");
}

/** The option of lists about how many of them are shown. */
export function limitOption(what: string, defaultLimit: number): Option {
  return countOption("--limit <n>", `how many ${what} (default: ${defaultLimit})`, 1);
}

/** The flag of {@link limitOption}. */
export function limitFlag(defaultLimit: number) {
  return z.number().default(defaultLimit);
}

/** The option of commands on one checkpoint of a thread. */
export function checkpointOption(what = "the checkpoint"): Option {
  return new Option("--checkpoint <id>", `${what}: ${CHECKPOINT_HELP} (default: head)`);
}

/** The flags of {@link threadFlags} and {@link checkpointOption}. */
export const checkpointFlags = threadFlags.extend({ checkpoint: z.string().optional() });

/** The option that continues a paged list of threads. */
export function afterOption(): Option {
  return new Option("--after <thread>", "continue after this thread, the last one of the previous page");
}

/** How help describes a namespace. */
const NAMESPACE_HELP = "labels joined by periods, such as users.7";

/** The argument of commands on one namespace of the store. */
export function itemNamespaceArgument(description = `the namespace: ${NAMESPACE_HELP}`): Argument {
  return new Argument("<namespace>", description).argParser(parseLabels);
}

/** The argument of commands that look at all namespaces unless one is given. */
export function scopeArgument(): Argument {
  return new Argument("[namespace]", `only this namespace and those below it: ${NAMESPACE_HELP}`).argParser(
    parseLabels,
  );
}

/** An option whose value is a part of namespaces. */
export function labelsOption(flags: string, description: string): Option {
  return new Option(flags, `${description}: ${NAMESPACE_HELP}; * is any one label`).argParser(parseLabels);
}

/** Parses the labels of a namespace. No label contains a period, so that every namespace can be written so. */
function parseLabels(text: string): string[] {
  const labels = text.split(".");
  if (labels.every((label) => label !== "")) return labels;
  throw new InvalidArgumentError(`Expected ${NAMESPACE_HELP}.`);
}

/** A namespace as {@link parseLabels} takes it. Any character of a label that a terminal must not get is escaped. */
export function shownNamespace(namespace: readonly string[]): string {
  return printable(namespace.join("."));
}

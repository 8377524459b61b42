import { Argument, InvalidArgumentError, Option } from "commander";
import { printable } from "../output/printable.js";

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

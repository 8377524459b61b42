import { InvalidNamespaceError } from "@langchain/langgraph-checkpoint";
import { MAX_KEY_BYTES } from "../../parsing/keys.js";

/** The first label that LangGraph keeps for itself. */
const RESERVED_ROOT = "langgraph";

/**
 * Parses the namespace of an item that is stored.
 *
 * @throws InvalidNamespaceError of `@langchain/langgraph-checkpoint`, as every store of LangGraph throws it.
 */
export function parseItemNamespace(value: unknown): string[] {
  const namespace = parseNamespace(value);
  if (namespace.length === 0) throw new InvalidNamespaceError("Namespace cannot be empty.");
  if (namespace[0] === RESERVED_ROOT) {
    throw new InvalidNamespaceError(
      `Root label for namespace cannot be "${RESERVED_ROOT}". Got: ${shown(namespace)}`,
    );
  }
  return namespace;
}

/** Parses the namespace of a read. It may be empty, which is everything, and have any root. */
export function parseNamespace(value: unknown): string[] {
  const namespace = parseStoredNamespace(value);
  if (namespace.includes("")) throw invalidLabel(namespace, "Namespace labels cannot be empty.");
  if (Buffer.byteLength(namespace.join(".")) > MAX_KEY_BYTES) {
    throw new InvalidNamespaceError(`Namespace cannot be longer than ${MAX_KEY_BYTES} bytes.`);
  }
  return namespace;
}

/** Parses a namespace that another program may have stored: of any length, and with empty labels. */
export function parseStoredNamespace(value: unknown): string[] {
  if (!Array.isArray(value)) {
    throw new InvalidNamespaceError(`Namespace must be an array of labels. Got: ${typeof value}`);
  }
  const labels: unknown[] = value;
  return labels.map((label) => parseLabel(label, labels));
}

function parseLabel(label: unknown, namespace: readonly unknown[]): string {
  if (typeof label !== "string") {
    throw new InvalidNamespaceError(
      `Invalid namespace label of type ${typeof label} found in ${shown(namespace)}. Namespace labels must be strings.`,
    );
  }
  const problem = problemOf(label);
  if (problem === undefined) return label;
  throw invalidLabel(namespace, problem);
}

function invalidLabel(namespace: readonly unknown[], problem: string): InvalidNamespaceError {
  return new InvalidNamespaceError(`Invalid namespace label found in ${shown(namespace)}: ${problem}`);
}

function problemOf(label: string): string | undefined {
  if (label.includes(".")) return "Namespace labels cannot contain periods ('.').";
  if (label.includes("\0")) return "Namespace labels cannot contain U+0000.";
  return label.isWellFormed() ? undefined : "Namespace labels cannot contain a lone surrogate.";
}

function shown(namespace: readonly unknown[]): string {
  return JSON.stringify(namespace.map(String));
}

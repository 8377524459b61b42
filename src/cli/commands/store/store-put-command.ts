import { Argument } from "commander";
import { z } from "zod";
import { InvalidConfigError, SerializationError } from "../../../errors/index.js";
import type { CommandContext, CommandDefinition } from "../../command-definition.js";
import { EXIT_CODE } from "../../exit-code.js";
import { itemNamespaceArgument, shownNamespace } from "../../options/item-options.js";
import { countOption, parseJsonObject, ttlOption } from "../../options/option-values.js";
import { printable } from "../../output/printable.js";
import { readText } from "../../terminal/read-text.js";

const STDIN = "-";
const MINUTE_MS = 60_000;

const putFlags = z.object({
  namespace: z.array(z.string()),
  key: z.string(),
  value: z.string().default(STDIN),
  ttl: z.number().optional(),
  ifVersion: z.number().optional(),
});

export const storePut: CommandDefinition = {
  name: "put",
  summary: "store an item, or replace the one with the same key",
  args: () => [
    itemNamespaceArgument(),
    new Argument("<key>", "the key of the item"),
    new Argument("[value]", "the value as a JSON object, or - for standard input (default: -)"),
  ],
  options: () => [
    ttlOption("--ttl <time>", "how long the item lives, such as 30d (default: for ever)"),
    countOption("--if-version <n>", "only if the item has this version; 0 for no item"),
  ],
  examples: [
    `store put users.7 settings '{"theme": "dark"}' --ttl 30d`,
    `store put users.7 profile '{"name": "Ada", "age": 37}' --if-version 1`,
  ],
  run: async (context, flags) => {
    const { namespace, key, value, ttl, ifVersion } = putFlags.parse(flags);
    const { store, signal } = context;
    const item = parseValue(
      value === STDIN ? await readText(stdinOf(context), { signal, field: "value" }) : value,
    );
    await requirePlain(context, namespace);
    const ttlMinutes = ttl === undefined ? null : ttl / MINUTE_MS;
    await store.put(namespace, key, item, undefined, { ttl: ttlMinutes, ifVersion, signal });
    return {
      exitCode: EXIT_CODE.ok,
      text: `stored item ${printable(key)} of namespace ${shownNamespace(namespace)}`,
      json: { namespace, key },
    };
  },
};

/**
 * Refuses to store a value in clear text among values that a serializer has encoded: it would not be encrypted, and a service whose
 * serializer requires encryption could not read it.
 */
async function requirePlain({ store, signal }: CommandContext, namespace: readonly string[]): Promise<void> {
  const { SEALED } = await import("../../../store/codec/item-value.js");
  const sealed = await store.count(namespace, { filter: { [SEALED]: { $exists: true } }, signal });
  if (sealed === 0) return;
  throw new SerializationError(
    "",
    `a serializer encrypts or compresses values of namespace "${namespace.join(".")}"; use a store with that serializer`,
  );
}

function stdinOf({ terminal: { stdin } }: CommandContext) {
  if (stdin !== undefined && stdin.isTTY !== true) return stdin;
  throw new InvalidConfigError("value", "pass a JSON object, or pipe one to standard input");
}

function parseValue(text: string): Record<string, unknown> {
  try {
    return parseJsonObject(text);
  } catch (cause) {
    throw new InvalidConfigError("value", 'must be a JSON object such as {"name": "Ada"}', { cause });
  }
}
